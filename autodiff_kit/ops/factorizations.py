"""LU and Cholesky factors of arrays, and linear systems by them: LAPACK's part of the operations on matrices.

NumPy has neither a triangular solve nor LU factors. SciPy has both, from its own copy of LAPACK; where it is installed,
it is imported when the first system is solved. Without it triangular systems are solved by blocks, each by elimination
that finds nothing to eliminate, and a matrix is factorized again for each of its systems. SciPy's functions take one
matrix at a time, so stacks of small matrices are NumPy's in any case.

All functions raise ``np.linalg.LinAlgError`` as NumPy does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from autodiff_kit.platform import HAS_THREADS

__all__ = [
    "BLOCK",
    "COLUMNS",
    "cholesky_cotangent",
    "cholesky_factor",
    "lower_half",
    "lu_factors",
    "lu_solve",
    "scipy_linalg",
    "solve_triangular",
]

BLOCK = 64
"""Rows that are solved or factorized at once; between them are matrix products, which are several times as fast."""

COLUMNS = 32
"""Right-hand sides from which on blocks pay; fewer are solved at once."""

_ELIMINATED = 32
"""Rows of a block that NumPy solves by elimination."""


@cache
def scipy_linalg() -> Any:
    """The module of SciPy with LAPACK's and BLAS' functions, or None. A browser would have to load it first."""
    if not HAS_THREADS:
        return None
    try:
        from scipy import linalg
    except Exception:  # noqa: BLE001 - a SciPy that does not fit this NumPy raises what it likes
        return None
    return linalg


def _by_scipy(a: Any) -> Any:
    """SciPy for one matrix, or for a stack whose matrices take longer than a call; otherwise None."""
    n = a.shape[-1]
    return scipy_linalg() if n and a.size and (a.size == n * n or n >= _ELIMINATED) else None


@cache
def _routine(name: str, dtype: np.dtype[Any]) -> Any:
    """A function of LAPACK or BLAS for float32 or float64."""
    linalg, name = scipy_linalg(), ("s" if dtype == np.float32 else "d") + name
    return getattr(linalg.lapack, name, None) or getattr(linalg.blas, name)


def _for_each_matrix(function: Callable[..., Any], *stacks: Any) -> Any:
    """A function of matrices on stacks that broadcast."""
    if max([x.ndim for x in stacks]) == 2:
        return function(*stacks)
    lead = np.broadcast_shapes(*(x.shape[:-2] for x in stacks))
    wide = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in stacks]
    found = np.stack([function(*(x[k] for x in wide)) for k in np.ndindex(lead)])
    return found.reshape(*lead, *found.shape[1:])


# -------------------------------------------------------------------------------- Cholesky
def cholesky_factor(x: Any) -> Any:
    """The lower triangular Cholesky factor of symmetric matrices."""
    if _by_scipy(x) is None:
        return np.linalg.cholesky(x)
    return _for_each_matrix(_cholesky_factor_of_one, x)


def _cholesky_factor_of_one(x: Any) -> Any:
    factor, failed = _routine("potrf", x.dtype)(x.T, lower=1)  # LAPACK's matrices lie in columns; this is symmetric
    if failed:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return factor


def cholesky_cotangent(g: Any, y: Any) -> Any:
    """The cotangent of a matrix's lower triangle, from that of its factor ``y``, by blocks [1]_.

    Some 2/3 n³ operations in matrix products, where the formula for the whole matrix takes 4 n³.

    References
    ----------
    .. [1] I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527, 2016, section 4.2.
    """
    n = y.shape[-1]
    if n <= BLOCK:
        return _whole_cotangent(g, y) * lower_half(n, y.dtype)
    g = np.array(np.broadcast_to(g, np.broadcast_shapes(g.shape, y.shape)))  # above the diagonal nothing is read
    for start in reversed(range(0, n, BLOCK)):
        own, before, after = slice(start, start + BLOCK), slice(start), slice(start + BLOCK, n)
        factor = y[..., own, own]
        if start + BLOCK < n:
            below = y[..., after, own]
            moved = _solve_from_right(factor, g[..., after, own])
            g[..., after, own], g[..., own, after] = moved, 0
            g[..., after, before] -= np.matmul(moved, y[..., own, before])
            back = moved.swapaxes(-1, -2)
            g[..., own, own] -= np.matmul(back, below)
            g[..., own, before] -= np.matmul(back, y[..., after, before])
        both = _whole_cotangent(g[..., own, own], factor)
        if start:
            g[..., own, before] -= np.matmul(both, y[..., own, before])
        g[..., own, own] = both * lower_half(both.shape[-1], both.dtype)
    return g


def _solve_from_right(factor: Any, x: Any) -> Any:
    """``x @ inverse(factor)`` for a lower triangular factor."""
    return solve_triangular(factor.swapaxes(-1, -2), x.swapaxes(-1, -2), False, False).swapaxes(-1, -2)


def _whole_cotangent(g: Any, factor: Any) -> Any:
    """The cotangent of a symmetric matrix whose entries (i, j) and (j, i) are one number, in both places."""
    upper = factor.swapaxes(-1, -2)
    half = np.matmul(upper, g) * lower_half(g.shape[-1], g.dtype)
    middle = solve_triangular(upper, half + half.swapaxes(-1, -2), False, False)
    return solve_triangular(upper, middle.swapaxes(-1, -2), False, False)


@lru_cache(maxsize=16)
def lower_half(n: int, dtype: np.dtype[Any]) -> Any:
    """Ones in the lower triangle, with halves on the diagonal."""
    return (np.tril(np.ones((n, n))) - np.eye(n) / 2).astype(dtype)


# -------------------------------------------------------------------------------- triangular systems
def solve_triangular(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The solution ``y`` of ``a @ y = b`` from one triangle of ``a``, by blocks of rows; a vector is one block."""
    n, columns = a.shape[-1], b.shape[-1]
    if _by_scipy(a) is None or not b.size:
        solve_block, size = _eliminate, _ELIMINATED
    else:
        solve_block, size = _substitute, BLOCK if columns >= COLUMNS else n
        if not unit_diagonal and np.count_nonzero(d := np.diagonal(a, 0, -2, -1)) < d.size:
            raise np.linalg.LinAlgError("Singular matrix")
    if 0 < n <= size:
        return solve_block(a, b, lower, unit_diagonal)
    y = np.empty(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:], np.result_type(a, b))
    starts = range(0, n, size)
    for start in starts if lower else reversed(starts):
        rows = slice(start, min(start + size, n))
        solved = slice(start) if lower else slice(rows.stop, n)
        rest = b[..., rows, :]
        if y[..., solved, :].size:
            rest = rest - np.matmul(a[..., rows, solved], y[..., solved, :])
        y[..., rows, :] = solve_block(a[..., rows, rows], rest, lower, unit_diagonal)
    return y


def _substitute(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The solution by BLAS for each matrix."""
    return _for_each_matrix(lambda a, b: _substitute_one(a, b, lower, unit_diagonal), a, b)


def _substitute_one(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The solution by BLAS, whose matrices lie in columns: what lies in rows is passed transposed, without a copy."""
    trsm = _routine("trsm", b.dtype)
    turned = not a.flags.f_contiguous
    a, low = (a.T, not lower) if turned else (a, lower)
    if b.flags.f_contiguous:
        return trsm(1.0, a, b, lower=low, trans_a=turned, diag=unit_diagonal)
    return trsm(1.0, a, b.T, side=1, lower=low, trans_a=not turned, diag=unit_diagonal).T


def _eliminate(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The solution by LAPACK's elimination, which has nothing to do in an upper triangle: it substitutes.

    A lower triangle, in reversed order, is an upper one.
    """
    if lower:
        return _eliminate(a[..., ::-1, ::-1], b[..., ::-1, :], False, unit_diagonal)[..., ::-1, :]
    n = a.shape[-1]
    rest = np.eye(n, dtype=a.dtype) if unit_diagonal else a.dtype.type(0)
    return np.linalg.solve(np.where(_above_diagonal(n, unit_diagonal), a, rest), b)


@cache
def _above_diagonal(n: int, strictly: bool) -> Any:
    return np.triu(np.ones((n, n), np.bool_), int(strictly))


# -------------------------------------------------------------------------------- LU
def lu_factors(a: Any) -> Any:
    """What :func:`lu_solve` needs of square matrices: both factors in one matrix, and the pivots as a row below.

    Without SciPy these are the matrices themselves.
    """
    return a if _by_scipy(a) is None else _for_each_matrix(_lu_factors_of_one, a)


def _lu_factors_of_one(a: Any) -> Any:
    found = np.empty((len(a) + 1, len(a)), a.dtype)
    found[:-1] = a
    # Of the transposed matrix, which lies in columns; where SciPy can, it works in the memory that it is given.
    factors, pivots, failed = _routine("getrf", a.dtype)(found[:-1].T, overwrite_a=True)
    if failed:
        raise np.linalg.LinAlgError("Singular matrix")
    if not np.may_share_memory(factors, found):
        found[:-1] = factors.T
    found[-1].view(np.intc)[: len(a)] = pivots + 1  # their bytes, counted from 1 as LAPACK does
    return found


def lu_solve(factors: Any, b: Any, transpose: bool) -> Any:
    """The solution ``y`` of ``a @ y = b``, or of ``aᵀ @ y = b``, from the result of :func:`lu_factors`."""
    n = factors.shape[-1]
    if factors.shape[-2] == n:
        return np.linalg.solve(factors.swapaxes(-1, -2) if transpose else factors, b)
    if not b.size:
        return np.empty(np.broadcast_shapes(factors.shape[:-2], b.shape[:-2]) + b.shape[-2:], b.dtype)
    if factors.size == n * (n + 1) and b.ndim > 2 and b.ndim >= factors.ndim:  # the columns of all systems together
        columns = np.moveaxis(b, -2, 0)
        together = _lu_solve_one(factors.reshape(n + 1, n), columns.reshape(n, -1), transpose)
        return np.moveaxis(together.reshape(columns.shape), 0, -2)
    return _for_each_matrix(lambda factors, b: _lu_solve_one(factors, b, transpose), factors, b)


def _lu_solve_one(factors: Any, b: Any, transpose: bool) -> Any:
    getrs = _routine("getrs", b.dtype)
    pivots = np.ascontiguousarray(factors[-1]).view(np.intc)[: len(b)] - 1
    pivots = np.minimum(np.maximum(pivots, 0), len(b) - 1)  # of made-up factors too, with which a trace tries a call
    return getrs(factors[:-1].T, pivots, b, trans=not transpose)[0]
