"""Cotangents of values that were broadcast: large sums over rows are products, and give the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.unbroadcast import unbroadcast

SHAPES = [((600, 7), (7,)), ((20, 30, 7), (7,)), ((20, 30, 7), (30, 7)), ((5000, 1), (1,)), ((70, 70), ()),
          ((20, 30, 7), (1, 7)), ((7, 600), (7, 1)), ((3, 4), (4,))]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("given", "shape"), SHAPES, ids=str)
@pytest.mark.parametrize("turned", [False, True], ids=["in C order", "transposed"])
def test_the_sum_over_rows(given: tuple[int, ...], shape: tuple[int, ...], dtype: Any, turned: bool) -> None:
    g = np.random.default_rng(0).normal(size=given[::-1] if turned else given).astype(dtype)
    g = g.T if turned else g
    before = g.copy()
    kept = np.broadcast_to(np.empty(shape), given)
    axes = tuple(k for k, step in enumerate(kept.strides) if not step)
    found = unbroadcast(g, ArraySpec(shape, np.dtype(dtype)))
    expected = g.astype(np.float64).sum(axis=axes).reshape(shape)
    assert np.shape(found) == shape
    assert np.asarray(found).dtype == dtype
    tolerance = {np.float16: 0.05, np.float32: 1e-4, np.float64: 1e-12}[dtype]  # two sums in float16 round twice
    np.testing.assert_allclose(np.asarray(found, float), expected, rtol=tolerance, atol=tolerance)
    assert np.array_equal(g, before)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_a_number_that_is_not_finite_stays_in_its_column(bad: float) -> None:
    g = np.ones((600, 8))
    g[3, 2] = bad
    x, b = ak.constant(np.ones((600, 8))), ak.constant(np.ones(8))
    with ak.GradientTape() as tape:
        tape.watch(b)
        y = x + b
    np.testing.assert_array_equal(tape.gradient(y, b, g).numpy(), [600, 600, bad, 600, 600, 600, 600, 600])
