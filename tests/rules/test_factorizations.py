"""Factors and systems of arrays, by SciPy's LAPACK and by NumPy alone: the same numbers and the same errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import autodiff_kit as ak
from autodiff_kit.errors import StructureError
from autodiff_kit.ops import factorizations

RNG = np.random.default_rng(8)
SIZES = [1, 3, factorizations.BLOCK, factorizations.BLOCK + 1, 150]


@pytest.fixture(params=["scipy", "numpy"], autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways; without SciPy everything runs in NumPy."""
    if request.param == "numpy":
        monkeypatch.setattr(factorizations, "scipy_linalg", lambda: None)
    return request.param


def matrix(n: int, *stack: int, dtype: Any = np.float64) -> Any:
    return (RNG.normal(size=(*stack, n, n)) + 4 * np.sqrt(n) * np.eye(n)).astype(dtype)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_factors_solve_systems_with_a_matrix_and_its_transpose(n: int, dtype: Any) -> None:
    """Single matrices and stacks, of which either may be one for all of the other."""
    rtol = 1e-10 if dtype == np.float64 else 1e-3
    for left, right in (((), ()), ((2,), (2,)), ((), (3,)), ((2, 1), (3,))):
        a, b = matrix(n, *left, dtype=dtype), RNG.normal(size=(*right, n, 2)).astype(dtype)
        factors = factorizations.lu_factors(a)
        for transpose in (False, True):
            found = factorizations.lu_solve(factors, b, transpose)
            assert found.dtype == dtype
            expected = np.linalg.solve(a.swapaxes(-1, -2) if transpose else a, b)
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("n", SIZES)
def test_the_gradient_of_a_cholesky_factor_by_blocks_is_the_formulas(n: int) -> None:
    a = matrix(n, 2)
    factor, g = factorizations.cholesky_factor(a @ a.swapaxes(-1, -2)), RNG.normal(size=(2, n, n))
    np.testing.assert_allclose(factor, np.linalg.cholesky(a @ a.swapaxes(-1, -2)), rtol=1e-10, atol=1e-10)
    for own, slope in zip(factor, g, strict=True):
        inner = np.tril(own.T @ np.tril(slope))
        inner[np.diag_indices(n)] /= 2
        inverse = np.linalg.inv(own)
        whole = inverse.T @ inner @ inverse
        found = factorizations.cholesky_cotangent(slope, own)
        assert not np.triu(found, 1).any()
        np.testing.assert_allclose(found + found.T, whole + whole.T, rtol=1e-8, atol=1e-10)
    each = [factorizations.cholesky_cotangent(slope, own) for own, slope in zip(factor, g, strict=True)]
    np.testing.assert_allclose(factorizations.cholesky_cotangent(g, factor), each, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
def test_triangular_systems_in_every_order_of_memory(n: int, lower: bool, unit_diagonal: bool) -> None:
    a, b = matrix(n) / (4 * n), RNG.normal(size=(n, n))
    for left in (a, a.T, a.T.copy()):
        expected = scipy.linalg.solve_triangular(left, b, lower=lower, unit_diagonal=unit_diagonal)
        for right, wanted in ((b, expected), (np.asfortranarray(b), expected), (b[:, :1], expected[:, :1])):
            found = factorizations.solve_triangular(left, right, lower, unit_diagonal)
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
        two = factorizations.solve_triangular(np.stack([left, left]), b, lower, unit_diagonal)
        np.testing.assert_allclose(two[1], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("n", [2, 40])
def test_what_has_no_solution_raises_the_same_error(n: int) -> None:
    for stack in ((), (2,)):
        singular = np.zeros((*stack, n, n))
        with pytest.raises(StructureError, match="singular matrix"):
            ak.solve(singular, np.ones((*stack, n, 1)))
        with pytest.raises(StructureError, match="singular matrix"):
            ak.solve_triangular(singular, np.ones((*stack, n, 1)))
        with pytest.raises(StructureError, match="not positive definite"):
            ak.cholesky(singular - np.eye(n))


def test_a_matrix_is_factorized_once_for_all_derivatives(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """By SciPy; NumPy gives no factors."""
    calls = []
    factorize = factorizations._lu_factors_of_one
    monkeypatch.setattr(factorizations, "_lu_factors_of_one", lambda a: [calls.append(a), factorize(a)][1])
    a, b = matrix(5), RNG.normal(size=5)
    ak.hvp(lambda a: (ak.solve(a, b) ** 2).sum(), a, RNG.normal(size=(5, 5)))
    assert len(calls) == (library == "scipy")
