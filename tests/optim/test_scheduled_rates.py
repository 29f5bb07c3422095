"""Learning rates that NumPy computed, as a schedule with a cosine gives them."""

import numpy as np
import pytest

import autodiff_kit as ak

OPTIMIZERS = [
    ak.optim.SGD(0.1),
    ak.optim.SGD(0.1, momentum=0.9),
    ak.optim.Adagrad(),
    ak.optim.Adadelta(),
    ak.optim.RMSProp(0.1),
    ak.optim.Adam(),
    ak.optim.AdamW(),
]


@pytest.mark.parametrize("rate", [np.float64(0.25), np.float32(0.25), np.array(0.25), np.int64(1)])
@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda o: type(o).__name__)
def test_a_scheduled_learning_rate_leaves_float32_as_it_is(optimizer, rate, tmp_path):
    optimizer.learning_rate = rate  # as 0.1 * np.cos(...) gives it
    for start in (np.ones(3, np.float32), np.float32(1.0)):
        w = ak.Variable(start, dtype=np.float32)
        optimizer.apply_gradients([(start, w)])
        assert w.dtype == np.float32
    optimizer.save(tmp_path / "optimizer.npz")
    optimizer.load_state_dict(optimizer.state_dict(), strict=False)
    assert optimizer.learning_rate == rate


def test_a_step_of_rows_by_a_scheduled_rate_leaves_float32_as_it_is():
    w, optimizer = ak.Variable(np.ones((3, 2), np.float32)), ak.optim.Adam()
    optimizer.learning_rate = np.float64(0.1)
    optimizer.apply_gradients([(ak.optim.RowGradient([0], np.ones((1, 2), np.float32), (3, 2)), w)])
    assert w.dtype == np.float32
