"""Faults that a reader reported: each test failed before its fix."""

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


def test_attention_takes_a_mask_of_each_example_inside_vmap():
    x, masks = np.random.default_rng(0).normal(size=(2, 3, 4)), np.array([np.tri(3), np.eye(3)], bool)
    layer = ak.layers.Attention(4, heads=2, inputs=4, seed=0)
    found = ak.vmap(lambda q, keep: ak.nn.attention(q, q, q, keep))(x, masks)
    np.testing.assert_allclose(found, ak.nn.attention(x, x, x, masks))
    np.testing.assert_allclose(ak.vmap(lambda q, keep: layer(q, mask=keep))(x, masks), layer(x, mask=masks))


@pytest.mark.parametrize("seed", [None, np.random.default_rng(0)])
def test_dropout_inside_vmap_draws_once_for_all_examples(seed):
    rows = ak.vmap(lambda x: ak.nn.dropout(x, 0.5, seed))(np.ones((3, 40))).numpy()
    assert (rows == rows[0]).all()


def test_a_class_that_is_not_in_the_batch_keeps_an_infinite_mean():
    assert ak.segment.class_means([1.0], [0], previous=[0.0, np.inf], rate=0.5).tolist() == [0.5, np.inf]


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int32])
def test_a_stitch_with_gaps_keeps_the_dtype(kind):
    found = ak.segment.dynamic_stitch([[0], [2]], [np.ones(1, kind), np.ones(1, kind)])
    assert found.dtype == kind
    assert found.tolist() == [1, 0, 1]


def test_fake_quant_of_float16_with_more_levels_than_float16_holds():
    found = ak.relax.fake_quant(np.array([-0.5, 0.25], np.float16), -1.0, 1.0, num_bits=16)
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, [-0.5, 0.25], atol=1e-3)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_staircases_of_small_integers_do_not_wrap_around(kind):
    x = np.array([0, 1, 2], kind)
    np.testing.assert_allclose(ak.relax.piecewise_linear_floor(x, 0.4), [-0.5, 0.5, 1.5])
    np.testing.assert_allclose(ak.relax.soft_floor(x, 0.01, steps=(-2, 300)), [2.5, 3.5, 4.5])


def test_huber_of_unsigned_integers_and_booleans():
    assert ak.nn.huber(np.uint8([3, 2]), np.uint8([1, 2])).tolist() == [1.5, 0.0]
    assert ak.nn.huber([True, False], [True, True]).tolist() == [0.0, 0.5]


def test_check_gradients_of_long_doubles():
    assert ak.check_gradients(lambda x: x * x, [np.array([1.0, 2.0], np.longdouble)]).ok


# ------------------------------------------------------------------------------------------------- custom gradients
@ak.custom_gradient
def tripled_slope_of_exp(x):
    y = ak.exp(x)
    return y, lambda g: 3.0 * g * y


@ak.custom_gradient
def product(x, w):
    return x * w, lambda g: (2.0 * g * w, 5.0 * g * x * x)


def squared_beside(x):
    square = x**2
    return ak.relax.straight_through(square, x) + square


CUSTOM = {
    "captured output": tripled_slope_of_exp,
    "two inputs": lambda x: product(x, x) * x,
    "shared input": lambda x: product(x, np.array([0.5, 2.0])),
    "output used again": squared_beside,
    "fake_quant": lambda x: ak.relax.fake_quant(x, -0.5, 0.7, num_bits=3),
    "gradient inside": lambda x: ak.grad(lambda z: ak.sum(tripled_slope_of_exp(z) * product(z, x)))(x),
    "vmap inside": lambda x: ak.vmap(tripled_slope_of_exp)(x),
}
DERIVATIVES = {
    "value": lambda f, x: ak.vjp(f, x)[0],
    "reverse": lambda f, x: ak.grad(lambda z: ak.sum(ak.sin(f(z))))(x),
    "forward": lambda f, x: ak.jvp(f, (x,), (x,))[1],
    "second": lambda f, x: ak.hvp(lambda z: ak.sum(ak.sin(f(z))), x, x),
    "jacobian": lambda f, x: ak.jacobian(f, mode="forward")(x),
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("name", CUSTOM)
def test_a_custom_gradient_inside_vmap_is_that_of_a_loop(name, derivative):
    f, x = CUSTOM[name], np.linspace(-1.0, 1.0, 6).reshape(3, 2)
    found, loop = (
        DERIVATIVES[derivative](g, x) for g in (ak.vmap(f), lambda x: ak.stack([f(x[k]) for k in range(3)], 0))
    )
    np.testing.assert_allclose(found, loop)


def test_a_shared_input_of_a_custom_gradient_inside_vmap_gets_the_sum_over_the_examples():
    x, w = np.arange(6.0).reshape(3, 2), np.array([0.5, 2.0])
    found = ak.grad(lambda w: ak.sum(ak.vmap(product, in_axes=(0, None))(x, w)))(w)
    np.testing.assert_allclose(found, (5.0 * x * x).sum(axis=0))


def test_forward_mode_of_a_custom_gradient_that_has_an_input_twice():
    x = np.array([1.0, 2.0, 3.0])
    _, tangent = ak.jvp(lambda x: product(x, x), (x,), (np.ones(3),))
    np.testing.assert_allclose(tangent, 2.0 * x + 5.0 * x * x)
