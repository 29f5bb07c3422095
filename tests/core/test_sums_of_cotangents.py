"""Cotangents of several parts: sums in place belong to the backward pass, and are kept no longer than needed."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels

rng = np.random.default_rng(0)


@pytest.mark.parametrize("compiled", [False, True])
def test_rows_are_added_to_a_sum_that_lies_in_columns(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two transposed parts make a sum in Fortran order, to which rows cannot be added through a reshaped view."""
    if compiled and not kernels.compile_all_loops():
        pytest.skip("no numba")
    monkeypatch.setattr(kernels, "_loops", dict(kernels._loops) if compiled else {})
    x, ids = ak.Variable(rng.normal(size=(20, 5, 6))), np.array([1, 2, 2, 5])
    c, d = rng.normal(size=(6, 5, 20)), rng.normal(size=(6, 5, 20))
    with ak.GradientTape() as tape:
        rows = x[ids]
        turned, again = ak.permute_dims(x, (2, 1, 0)), ak.permute_dims(x, (2, 1, 0))
        y = ak.sum(rows) + ak.sum(turned * c) + ak.sum(again * d)
    expected = (c + d).T.copy()
    np.add.at(expected, ids, 1.0)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected, rtol=1e-14)


def test_a_slice_of_a_table_whose_rows_were_read_twice() -> None:
    x = ak.Variable(np.ones((4096, 32)))
    first, second = np.array([1, 2, 2, 5]), np.array([7, 2])
    with ak.GradientTape() as tape:
        part, rows, more = x[3:5], x[first], x[second]
        y = ak.sum(part * part) + ak.sum(rows * rows) + ak.sum(more * more)
    expected = np.zeros((4096, 32))
    expected[3:5] += 2
    for ids in (first, second):
        np.add.at(expected, ids, 2.0)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("index", [..., (), True, (None, True), np.array(True)], ids=str)
def test_parts_of_a_single_number(dtype: Any, index: Any) -> None:
    x = ak.Variable(dtype(2))
    with ak.GradientTape() as tape:
        z = x * dtype(1)
        a = z[index]
        y = ak.sum(a * a) + ak.sum(z * z) + z * z * z
    assert float(tape.gradient(y, x)) == 20.0


def test_the_examples_of_a_vmap_add_a_slice_to_what_they_have() -> None:
    x = np.arange(6.0).reshape(2, 3)
    slopes = ak.vmap(ak.grad(lambda x: ak.sum(x[1:]) + ak.sum(x * x)))(x)
    np.testing.assert_array_equal(slopes.numpy(), 2 * x + [0, 1, 1])


def test_a_returned_gradient_never_changes_later() -> None:
    x = ak.constant(rng.normal(size=(4, 3)))
    seen = []
    with ak.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = x * 2.0
        z.register_hook(seen.append)
        y = ak.sum(z * z) + ak.sum(z) + ak.sum(z[1:]) + ak.sum(z * 3.0)
    found = [tape.gradient(y, [x, z]) for _ in range(2)]
    numbers = [g.numpy().copy() for pair in found for g in pair] + [g.numpy().copy() for g in seen]
    tape.gradient(y, [x, z])
    for before, now in zip(numbers, [g for pair in found for g in pair] + seen, strict=False):
        np.testing.assert_array_equal(before, now.numpy())
    np.testing.assert_array_equal(found[0][0].numpy(), found[1][0].numpy())


def test_sums_are_dropped_when_their_node_is_done() -> None:
    """A hundred nodes with two parts each need no hundred arrays."""
    x = ak.Variable(np.ones(20_000))
    with ak.GradientTape() as tape:
        h = x
        for _ in range(100):
            h = h + ak.square(h) * 1e-9
        y = ak.sum(h)
    tracemalloc.start()
    try:
        tape.gradient(y, x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * 160_000
