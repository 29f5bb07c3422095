"""Least-squares solutions of linear systems."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import concrete_only
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.ops.axes import swap_last_axes
from autodiff_kit.ops.creation import zeros
from autodiff_kit.ops.decompositions import qr
from autodiff_kit.ops.lapack import check_matrices, to_lapack_dtype
from autodiff_kit.ops.matrix_products import matmul
from autodiff_kit.ops.number_parameters import check_number
from autodiff_kit.ops.reductions import sum
from autodiff_kit.ops.selection import stop_gradient
from autodiff_kit.ops.shape_manipulation import expand_dims, squeeze
from autodiff_kit.ops.singular_values import svdvals
from autodiff_kit.ops.triangular_systems import solve_triangular


class LstsqResult(NamedTuple):
    """The solution, the sums of squared residuals, the rank, and the singular values of the matrix."""

    x: Tensor
    residuals: Tensor
    rank: int
    s: Tensor


@concrete_only
def _check_full_rank(s: Any, shape: tuple[int, ...], rcond: float | None) -> None:
    """Raise if a singular value counts as 0."""
    least = max(shape[-2:]) * np.finfo(s.dtype).eps if rcond is None or rcond < 0 else rcond
    rank = (s > least * s.max(-1, keepdims=True, initial=0)).sum(-1)
    if s.size and rank.min() < s.shape[-1]:
        raise StructureError(
            f"lstsq: a matrix of shape {shape[-2:]} has rank {rank.min()}. The solution jumps where the rank changes, "
            "so it has no derivative. Remove columns that depend on others, or add a small multiple of the identity: "
            "ak.solve(a.T @ a + c * np.eye(n), a.T @ b). The derivative among matrices of the same rank is that of "
            "ak.pinv(a) @ b"
        )


def lstsq(a: Any, b: Any, rcond: float | None = None) -> LstsqResult:
    """The least-squares solution of ``a @ x = b``, for a matrix of full rank.

    Parameters
    ----------
    a : Tensor or array_like
        Matrices with linearly independent columns, or with more columns than rows and independent rows.
    b : Tensor or array_like
        With one axis a vector; with more axes matrices, one problem for each column.
    rcond : float, optional
        Singular values below this fraction of the largest count as 0; by default, and with a negative number as in
        NumPy, machine precision times the longer side.

    Returns
    -------
    LstsqResult
        ``(x, residuals, rank, s)`` as NumPy's: the solution, which among several is the one of smallest norm; the
        squared norm of ``b - a @ x`` for each column, empty where ``a`` has no more rows than columns; the rank; the
        singular values of ``a``, as a constant.

    Raises
    ------
    ShapeError
        If ``b`` has another number of rows.
    StructureError
        If a matrix does not have full rank.

    Notes
    -----
    **Shapes.** ``(..., m, n)`` and ``(m,)`` give ``(..., n)``; ``(..., m, n)`` and ``(..., m, k)`` give
    ``(..., n, k)``. Unlike NumPy's function it takes stacks.
    **Gradient.** To both, through the QR decomposition of ``a``, or of its transpose if it has more columns than rows.
    Under ``ak.compile`` the rank is not checked.
    **Cost.** About 2 m n² for the decomposition, and 4 m n² for the singular values.

    Examples
    --------
    >>> ak.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0]).x.numpy().round(9)
    array([1., 2.])
    """
    (a, b), back = to_lapack_dtype("lstsq", a, b)
    check_matrices("lstsq", a, square=False)
    rows, columns = a.shape[-2:]
    vector = b.ndim == 1
    if not b.ndim or b.shape[0 if vector else -2] != rows:
        raise ShapeError(
            f"lstsq of shapes {a.shape} and {b.shape}: the second must have one row for each row of the first"
        )
    b = expand_dims(b, -1) if vector else b
    s = svdvals(stop_gradient(a))
    _check_full_rank(unwrap(s), a.shape, None if rcond is None else check_number("lstsq: rcond", rcond))
    x = _tall_solution(a, b) if rows >= columns else _shortest_solution(a, b)
    rest = matmul(a, x) - b
    residuals = sum(rest * rest, -2) if rows > columns else zeros((0,), b.dtype)
    return LstsqResult(back(squeeze(x, -1) if vector else x), back(residuals), min(rows, columns), back(s))


def _tall_solution(a: Tensor, b: Tensor) -> Tensor:
    """``R⁻¹ Qᵀ b`` with the decomposition of ``a``."""
    q, r = qr(a)
    return solve_triangular(r, matmul(swap_last_axes(q), b))


def _shortest_solution(a: Tensor, b: Tensor) -> Tensor:
    """``Q R⁻ᵀ b`` with the decomposition of the transpose of ``a``: the solution in the span of its rows."""
    q, r = qr(swap_last_axes(a))
    return matmul(q, solve_triangular(r, b, transpose=True))
