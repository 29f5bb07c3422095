"""Gradients of slices are added in place, into an array that nobody else has seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak

RNG = np.random.default_rng(2)
X = RNG.normal(size=(6, 4))


def rows_one_by_one(x: Any) -> Any:
    return ak.sum(ak.stack([ak.sin(row) * (k + 1.0) for k, row in enumerate(x)]))


@pytest.mark.parametrize("computed", [False, True], ids=["of a leaf", "of a computed value"])
@pytest.mark.parametrize("alone", [False, True], ids=["one source", "one source of two"])
def test_rows_read_one_by_one_need_one_array(monkeypatch: pytest.MonkeyPatch, computed: bool, alone: bool) -> None:
    made = []
    zeros = np.zeros
    x, other = ak.constant(X), ak.constant(X)
    tape = ak.GradientTape()
    with tape:
        tape.watch([x, other] if alone else x)
        y = rows_one_by_one(x * 2.0 if computed else x) + ak.sum(other)
    monkeypatch.setattr(np, "zeros", lambda shape, *args: [made.append(shape), zeros(shape, *args)][1])
    found = tape.gradient(y, x).numpy()
    assert made.count(X.shape) == 1
    weights = np.arange(1.0, 7.0)[:, None]
    np.testing.assert_allclose(found, weights * (2.0 * np.cos(2.0 * X) if computed else np.cos(X)), rtol=1e-14)


READERS = {
    "slices that overlap": lambda x: ak.sum(x[1:4] * x[2:5]) + ak.sum(x[::-2] ** 2),
    "slices and the whole": lambda x: ak.sum(x[1] * 3.0) + ak.sum(x * x) + ak.sum(ak.exp(x[2])) + ak.sum(x[:, 1]),
    "one entry at a time": lambda x: x[0, 1] * x[0, 1] + x[3, 2] * x[0, 1] + ak.sin(x[-1, -1]),
    "integer arrays": lambda x: ak.sum(x[[0, 0, 5]] * 2.0) + ak.sum(x[[1, 2], [0, 0]] ** 2) + ak.sum(x[[3, 0]]),
    "masks": lambda x: ak.sum(x[X > 0] ** 2) + ak.sum(x[X[:, 0] > 0]),
    "columns of the transpose": lambda x: ak.sum(x.T[0] * x.T[1]) + ak.sum(x.T[1]),
    "only new axes": lambda x: ak.sum(x[:, None] * x[None] ** 2) + ak.sum(x[0:6, 0:4] * x[..., ::1]) + ak.sum(x[3]),
    "an axis of one": lambda x: ak.sum(x[2:3][0] * x[1:2][::-1]) + ak.sum(x[:, 1:2][:, 0] ** 2) + ak.sum(x[2]),
    "reversed": lambda x: ak.sum(x[::-1] * x) + ak.sum(x[:, ::-1][:, None] * x[1]),
    "new axes": lambda x: ak.sum(x[None, 2] * x[..., None, 0][3]) + ak.sum(x[...]),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("f", READERS.values(), ids=READERS)
def test_the_gradient_is_that_of_the_recorded_pass(f: Any, dtype: Any) -> None:
    """A pass that is recorded itself adds whole arrays."""
    x = ak.constant(X, dtype=dtype)
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    with ak.GradientTape():
        whole = tape.gradient(y, x).numpy()
    found = tape.gradient(y, x)
    before = found.numpy().copy()
    assert found.dtype == dtype
    np.testing.assert_allclose(found.numpy(), whole, rtol=4 * np.finfo(dtype).eps)
    assert np.array_equal(tape.gradient(y, x).numpy(), before)
    assert np.array_equal(found.numpy(), before)


def test_nobody_elses_array_is_written() -> None:
    """The weights of a target, and a cotangent that two values share."""
    weights = np.ones((6, 4))
    x = ak.constant(X)
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 1.0
        first = y + x
        rows = ak.stack([y[0], x[0]])
    expected = 2.0 * weights
    expected[0] += 2.0
    assert np.array_equal(tape.gradient([first, rows], x, [weights, np.ones((2, 4))]).numpy(), expected)
    of_y = tape.gradient([y, rows], y, [weights, np.ones((2, 4))]).numpy()
    assert np.array_equal(of_y[:2], [[2.0] * 4, [1.0] * 4])
    assert np.array_equal(weights, np.ones((6, 4)))


def test_what_an_index_with_all_entries_passes_back_is_not_written() -> None:
    """Its cotangent is the weight of the target in another shape; the cotangents of other slices go into a copy."""
    weights, x = np.ones((6, 1, 4)), ak.constant(X)
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 1.0
        targets = [y[0], y[:, None], y[1]]
    expected = np.ones((6, 4))
    expected[:2] = 2.0
    for source in (x, y):
        found = tape.gradient(targets, source, [np.ones(4), weights, np.ones(4)])
        assert np.array_equal(found.numpy(), expected)
        assert np.array_equal(weights, np.ones((6, 1, 4)))


def test_a_cotangent_of_minus_zero_gives_zero() -> None:
    """As where slices overlap, and as in a compiled function."""
    f = ak.grad(lambda x: ak.sum(x[1:3]) * -0.0)
    for slope in (f, ak.compile(f)):
        assert np.signbit(slope(np.ones(4)).numpy()).tolist() == [False] * 4
