"""Gradients of large tables of which few rows were read: rows, not a table of zeros."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import DtypeError, RangeError, ShapeError

IDS = np.array([[5, 700, 5], [-1, 0, 700]])


def table(dtype: Any = np.float64) -> ak.Variable:
    return ak.Variable(np.random.default_rng(0).standard_normal((9000, 8)).astype(dtype), name="table")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_few_rows_of_a_large_variable(dtype: Any) -> None:
    w = table(dtype)
    with ak.GradientTape(persistent=True) as tape:
        y = ak.sum(w[IDS] ** 2)
    g = tape.gradient(y, w)
    assert isinstance(g, ak.RowGradient)
    assert (g.shape, g.dtype) == (w.shape, w.dtype)
    assert g.ids.tolist() == [0, 5, 700, 8999]
    dense = np.zeros(w.shape)
    np.add.at(dense, IDS % 9000, 2.0 * w.numpy()[IDS])
    np.testing.assert_allclose(g.numpy(), dense, rtol=2e-3 if dtype == np.float16 else 1e-6)
    seen: list[Any] = []
    with tape:
        w.read_value().register_hook(seen.append)
    dense_g = tape.gradient(y, w)
    np.testing.assert_array_equal(seen[0].numpy(), dense_g.numpy())


def test_sums_of_rows_and_of_dense_gradients() -> None:
    w = table()
    with ak.GradientTape(persistent=True) as tape:
        a, b = ak.sum(w[[1, 2, 1]]), ak.sum(3.0 * w[np.array([2, 4])])
        c = ak.sum(w * 2.0)
        rows, mixed, both = a + b, b + c, c + a
    g = tape.gradient(rows, w)
    assert isinstance(g, ak.RowGradient)
    assert dict(zip(g.ids.tolist(), g.rows[:, 0].tolist(), strict=True)) == {1: 2.0, 2: 4.0, 4: 3.0}
    for target, extra in ((mixed, {2: 3.0, 4: 3.0}), (both, {1: 2.0, 2: 1.0})):
        dense = tape.gradient(target, w)
        assert isinstance(dense, ak.Tensor)
        expected = np.full(w.shape, 2.0)
        for k, more in extra.items():
            expected[k] += more
        np.testing.assert_array_equal(dense.numpy(), expected)


def test_the_gradient_is_a_tensor_where_rows_do_not_suffice() -> None:
    w = table()
    tensor = w.read_value()
    with ak.GradientTape() as tape:
        tape.watch(tensor)
        y = ak.sum(tensor[IDS])
    assert isinstance(tape.gradient(y, tensor), ak.Tensor)  # a function of tensors returns tensors
    assert isinstance(ak.grad(lambda t: ak.sum(t[IDS] ** 2))(w.numpy()), ak.Tensor)
    with ak.GradientTape() as outer:
        with ak.GradientTape() as inner:
            y = ak.sum(w[IDS] ** 3)
        first = inner.gradient(y, w)
        z = ak.sum(first)
    second = outer.gradient(z, w)
    np.testing.assert_allclose(np.asarray(second)[700], 12.0 * w.numpy()[700], rtol=1e-12)
    small = ak.Variable(np.ones((100, 2)))
    with ak.GradientTape() as tape:
        y = ak.sum(small[[1]])
    assert isinstance(tape.gradient(y, small), ak.Tensor)


def test_32_rows_of_a_million_allocate_no_table() -> None:
    """The gradient of a 1e6 x 16 embedding table for 32 rows must not cost a full table."""
    w = ak.Variable(np.zeros((1_000_000, 16), np.float32))
    ids = np.random.default_rng(1).integers(0, 1_000_000, 32)
    peaks = []
    for _ in range(2):  # the first step also imports modules, which take a megabyte, and two where they are compiled
        tracemalloc.start()
        with ak.GradientTape() as tape:
            y = ak.sum(ak.nn.embedding(w, ids) * 2.0)
        g = tape.gradient(y, w)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert isinstance(g, ak.RowGradient)
    assert peaks[0] < 1 << 23  # the table has 64 MB
    assert peaks[1] < 1 << 16
    assert g.nbytes < 1 << 12


def test_a_released_tape_holds_no_table() -> None:
    """A lazy step can then write in place while the tape still exists, and the record can still be listed."""
    w, opt = ak.Variable(np.zeros((1_000_000, 16), np.float32), name="w"), ak.optim.Adam(0.1, lazy=True)
    for _ in range(2):
        with ak.GradientTape() as tape:
            y = ak.sum(w[[1, 5, 9]] * 2.0)
        g = tape.gradient(y, w)
        tracemalloc.start()
        before = id(w._value)
        opt.apply_gradients([(g, w)])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert id(w._value) == before
    assert peak < 1 << 16
    assert tape.explain(y, w).connected
    assert "w" in str(tape.table())
    assert tape.watched_variables() == (w,)


def test_arithmetic_of_row_gradients() -> None:
    g = ak.RowGradient([2, 0, 2], [[1.0], [5.0], [1.0]], (3, 1))
    assert (0.5 * g).numpy().ravel().tolist() == [2.5, 0.0, 1.0]
    assert (-(g / 2.0)).numpy().ravel().tolist() == [-2.5, 0.0, -1.0]
    assert (g + g).numpy().ravel().tolist() == [10.0, 0.0, 4.0]
    assert (np.ones((3, 1)) + g).ravel().tolist() == [6.0, 1.0, 3.0]
    assert float(ak.norm(g)) == pytest.approx(29.0**0.5)
    assert repr(g) == "RowGradient(2 rows of (3, 1), dtype=float64)"
    with pytest.raises(ShapeError, match="3 ids"):
        ak.RowGradient([0, 1, 2], [[1.0]], (3, 1))
    with pytest.raises(RangeError, match="id 3 at position 1"):
        ak.RowGradient([0, 3], [[1.0], [1.0]], (3, 1))
    with pytest.raises(DtypeError, match="integers"):
        ak.RowGradient([0.5], [[1.0]], (3, 1))


def test_b28_hooks_of_sources_see_and_replace() -> None:
    """B28: not only intermediate values, also the source itself."""
    x = ak.constant([1.0, 2.0])
    seen = []
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        x.register_hook(lambda g: seen.append(g.tolist()))
        x.register_hook(lambda g: 10.0 * g)
        y = ak.sum(x * x)
    assert tape.gradient(y, x).tolist() == [20.0, 40.0]
    assert seen == [[2.0, 4.0]]
    assert tape.jacobian(y, x).tolist() == [20.0, 40.0]
