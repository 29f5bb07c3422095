"""Linear systems whose matrix is triangular, or given by its Cholesky factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.ops import factorizations
from autodiff_kit.ops.axes import swap_last_axes
from autodiff_kit.ops.families import general
from autodiff_kit.ops.lapack import call_lapack, prepare_system


def _triangle(x: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The entries of matrices that a triangular system reads."""
    return v.tril(x, k=-1 if unit_diagonal else 0) if lower else v.triu(x, k=1 if unit_diagonal else 0)


def _transposed_solve(g: Any, a: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The solution with the transposed matrix: the gradient of the right-hand side."""
    return v.solve_triangular(swap_last_axes(a), g, lower=not lower, unit_diagonal=unit_diagonal)


def _both_vjps(g: Any, y: Any, a: Any, _b: Any, *, lower: bool, unit_diagonal: bool) -> tuple[Any, Any]:
    """The cotangents of both inputs, from one solution with the transposed matrix."""
    back = _transposed_solve(g, a, lower, unit_diagonal)
    return _triangle(v.matmul(-back, swap_last_axes(y)), lower, unit_diagonal), back


def _solve_triangular_jvp(t: Any, y: Any, a: Any, _b: Any, *, lower: bool, unit_diagonal: bool) -> Any:
    """The tangent ``dy`` of ``a y = b`` solves ``a dy = db - da y``."""
    moved = t[1]
    if t[0] is not None:
        product = v.matmul(_triangle(t[0], lower, unit_diagonal), y)
        moved = -product if moved is None else moved - product
    return v.solve_triangular(a, moved, lower=lower, unit_diagonal=unit_diagonal)


def _flops(y: Any, a: Any, *_: Any) -> int:
    return int(np.size(y) * np.shape(a)[-1])


@general(
    lambda g, y, a, _b, *, lower, unit_diagonal: _both_vjps(g, y, a, _b, lower=lower, unit_diagonal=unit_diagonal)[0],
    lambda g, _y, a, _b, *, lower, unit_diagonal: _transposed_solve(g, a, lower, unit_diagonal),
    vjp_all=_both_vjps,
    jvp=_solve_triangular_jvp,
    flops=_flops,
    flops_back=lambda y, a, _b, *, asked: (1 + 2 * (0 in asked)) * _flops(y, a),
)
def _solve_triangular(a: Any, b: Any, lower: bool, unit_diagonal: bool) -> Any:
    """The solution ``y`` of ``a @ y = b`` from one triangle of ``a``, for two stacks of matrices."""
    advice = "A triangular matrix is singular where its diagonal has a 0"
    return call_lapack("solve_triangular", advice, factorizations.solve_triangular, a, b, lower, unit_diagonal)


def solve_triangular(
    a: Any, b: Any, lower: bool = False, transpose: bool = False, unit_diagonal: bool = False
) -> Tensor:
    """Solve the linear system ``a @ x = b`` with a triangular matrix, by substitution.

    Parameters
    ----------
    a : Tensor or array_like
        Square matrices, of which only one triangle is read.
    b : Tensor or array_like
        With one axis a vector; with more axes matrices, one system for each column.
    lower : bool, optional
        Read the lower triangle; by default the upper one.
    transpose : bool, optional
        Solve ``aᵀ @ x = b``; ``lower`` still says which triangle of ``a`` is read.
    unit_diagonal : bool, optional
        Take the diagonal as ones, without reading it.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If ``a`` is not square, or ``b`` has another number of rows.
    StructureError
        If there is a 0 on a diagonal.

    Notes
    -----
    **Shapes.** ``(..., n, n)`` and ``(n,)`` give ``(..., n)``; ``(..., n, n)`` and ``(..., n, k)`` give
    ``(..., n, k)``. Stacks broadcast.
    **Gradient.** For ``b`` the solution with the transposed matrix; for ``a`` minus its outer product with ``x``, and 0
    for entries that are not read.
    **Cost.** n² k; the gradient of ``b`` as much again, that of ``a`` 2 n² k more.

    Examples
    --------
    >>> ak.solve_triangular([[2.0, 1.0], [0.0, 4.0]], [4.0, 8.0]).numpy()
    array([1., 2.])
    """
    lower, transpose = (
        check_flag("solve_triangular: lower", lower),
        check_flag("solve_triangular: transpose", transpose),
    )
    unit = check_flag("solve_triangular: unit_diagonal", unit_diagonal)
    a, b, back = prepare_system("solve_triangular", a, b)
    found = (
        _solve_triangular(swap_last_axes(a), b, not lower, unit) if transpose else _solve_triangular(a, b, lower, unit)
    )
    return back(found)


def cholesky_solve(l: Any, b: Any) -> Tensor:  # noqa: E741 - the factor's usual name
    """Solve the linear system ``l @ lᵀ @ x = b``, whose matrix is given by its Cholesky factor.

    Parameters
    ----------
    l : Tensor or array_like
        Lower triangular matrices, as :func:`cholesky` gives them; entries above the diagonal are not read.
    b : Tensor or array_like
        With one axis a vector; with more axes matrices, one system for each column.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If ``l`` is not square, or ``b`` has another number of rows.
    StructureError
        If there is a 0 on a diagonal.

    Notes
    -----
    **Gradient.** To the lower triangle of ``l``, and to ``b``. **Cost.** 2 n² k.

    Examples
    --------
    >>> l = ak.cholesky([[4.0, 2.0], [2.0, 5.0]])
    >>> ak.cholesky_solve(l, [8.0, 12.0]).numpy()
    array([1., 2.])
    """
    factor, b, back = prepare_system("cholesky_solve", l, b)
    half = _solve_triangular(factor, b, True, False)
    return back(_solve_triangular(swap_last_axes(factor), half, False, False))
