"""Sparse row updates: their cost is proportional to the rows, and they equal a dense step on these rows."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak

SHAPE = (1 << 20, 16)
IDS = np.array([5, 70, 5, 1_000_000])
BY_ROWS: dict[str, Callable[[], ak.optim.Optimizer]] = {
    "SGD": lambda: ak.optim.SGD(0.1),
    "Adagrad": lambda: ak.optim.Adagrad(0.1),
    "lazy Adam": lambda: ak.optim.Adam(0.1, lazy=True),
    "lazy AdamW": lambda: ak.optim.AdamW(0.1, lazy=True),
}
by_rows = pytest.mark.parametrize("make", BY_ROWS.values(), ids=BY_ROWS.keys())


def rows_of(shape: tuple[int, ...], seed: int = 0) -> ak.RowGradient:
    rows = np.random.default_rng(seed).normal(size=(len(IDS), *shape[1:])).astype("float32")
    return ak.RowGradient(IDS % shape[0], rows, shape)


@by_rows
def test_a_step_of_few_rows_takes_no_memory_of_the_tables_size(make: Any) -> None:
    """A million rows of 16: the table, m and v are updated in place; the update is stored as rows too."""
    table, opt = ak.Variable(np.zeros(SHAPE, "float32")), make()
    opt.apply_gradients([(rows_of(SHAPE), table)])
    where = table._value.ctypes.data
    tracemalloc.start()
    for seed in range(5):
        opt.apply_gradients([(rows_of(SHAPE, seed), table)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e5, f"{peak:.0f} bytes for 4 rows of a table of {table._value.nbytes:.0f}"
    assert table._value.ctypes.data == where
    moved = np.flatnonzero(opt.last_update(table).any(axis=1))
    assert moved.tolist() == [5, 70, 1_000_000]
    assert np.flatnonzero(table.numpy().any(axis=1)).tolist() == [5, 70, 1_000_000]


def test_minimize_on_a_large_table_takes_no_memory_of_its_size() -> None:
    """From the gather to the step: the tape returns rows, and releases the table before the step."""
    table, opt = ak.Variable(np.ones(SHAPE, "float32")), ak.optim.Adam(0.1, lazy=True)

    def loss() -> Any:
        return (ak.take(table, IDS, axis=0) ** 2).sum()

    opt.minimize(loss, [table])
    tracemalloc.start()
    losses = [float(opt.minimize(loss, [table])) for _ in range(3)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e6
    assert losses[0] > losses[1] > losses[2]


@by_rows
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_rows_move_as_in_a_separate_table(make: Any, dtype: str) -> None:
    """Bit for bit; all other rows stay the same bit for bit, slots included."""
    rng = np.random.default_rng(3)
    start = rng.normal(size=(6, 2)).astype(dtype)
    table, small, opt, twin = ak.Variable(start), ak.Variable(start[[1, 4]]), make(), make()
    for _ in range(5):
        g = rng.normal(size=(2, 2)).astype(dtype)
        opt.apply_gradients([(ak.RowGradient([4, 1], g[::-1], (6, 2)), table)])
        twin.apply_gradients([(ak.RowGradient([0, 1], g, (2, 2)), small)])
    assert table.dtype == dtype
    assert table.numpy()[[1, 4]].tobytes() == small.numpy().tobytes()
    assert table.numpy()[[0, 2, 3, 5]].tobytes() == start[[0, 2, 3, 5]].tobytes()
    for name in set(opt.slot_names()) - {"t"}:
        assert opt.get_slot(table, name)[[1, 4]].tobytes() == twin.get_slot(small, name).tobytes()
        assert not opt.get_slot(table, name)[[0, 2, 3, 5]].any()
    np.testing.assert_array_equal(opt.last_update(table)[[1, 4]], twin.last_update(small))


@pytest.mark.parametrize("kind", [ak.optim.SGD, ak.optim.Adagrad])
def test_a_step_on_rows_is_the_dense_step(kind: Any) -> None:
    rng = np.random.default_rng(3)
    start = rng.normal(size=(6, 2))
    a, b, opt = ak.Variable(start), ak.Variable(start), kind(0.3)
    g = ak.RowGradient([4, 1, 4], rng.normal(size=(3, 2)), (6, 2))
    for _ in range(4):
        opt.apply_gradients([(g, a), (g.numpy(), b)])
    assert a.numpy().tobytes() == b.numpy().tobytes()


@by_rows
def test_rows_with_masks_and_constraints(make: Any) -> None:
    """Frozen elements stay, a constraint is applied; the remaining elements of the rows move as they would alone."""
    start, g = np.ones((4, 2)), ak.RowGradient([0, 2], np.ones((2, 2)), (4, 2))
    free, held, bound = (
        ak.Variable(start),
        ak.Variable(start),
        ak.Variable(start, constraint=lambda v: np.maximum(v, 0.95)),
    )
    opt = make()
    with opt.frozen({held: np.array([[False], [False], [True], [False]])}):
        opt.apply_gradients([(g, free), (g, held), (g, bound)])
    assert held.numpy()[2].tolist() == [1.0, 1.0]
    assert held.numpy()[0].tolist() == free.numpy()[0].tolist() != [1.0, 1.0]
    assert bound.numpy().tolist() == np.maximum(free.numpy(), 0.95).tolist()
    assert opt.last_update(held)[2].tolist() == [0.0, 0.0]


@by_rows
def test_a_table_with_another_reference_is_copied(make: Any) -> None:
    table, opt = ak.Variable(np.ones((4, 2))), make()
    g = ak.RowGradient([1], np.ones((1, 2)), (4, 2))
    opt.apply_gradients([(g, table)])
    array, view = table.numpy(), table.numpy()[1]
    before = array.copy()
    opt.apply_gradients([(g, table)])
    assert array.tobytes() == before.tobytes()
    assert view.tolist() == before[1].tolist()
    assert table.numpy()[1, 0] < before[1, 0]
    del array, view
    where = table._value.ctypes.data
    opt.apply_gradients([(g, table)])  # made read-only by .numpy(), but without other references
    assert table._value.ctypes.data == where


def test_no_rows_at_all() -> None:
    table, opt = ak.Variable(np.ones((4, 2))), ak.optim.Adam(0.1, lazy=True)
    opt.apply_gradients([(ak.RowGradient([], np.zeros((0, 2)), (4, 2)), table)])
    assert (table.numpy() == 1.0).all()
    assert opt.get_slot(table, "t") == 1
