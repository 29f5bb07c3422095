"""Linear systems, inverses and pseudo-inverses of matrices.

Matrices are the last two axes; axes in front of them make a stack. LAPACK computes the values, in float32 or float64;
float16 is computed in float32. Gradients are written in matrix products and in operations of this module, so that they
can be differentiated again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.ops import factorizations
from autodiff_kit.ops.axes import swap_last_axes
from autodiff_kit.ops.families import general, nondifferentiable
from autodiff_kit.ops.lapack import NOT_FINITE, call_lapack, check_matrices, prepare_system, to_lapack_dtype
from autodiff_kit.ops.number_parameters import check_number

_SINGULAR = "Use ak.pinv(a) for the least-squares solution, or add a small multiple of np.eye(n)"


@nondifferentiable(flops=lambda _y, a: (2 * np.size(a) * np.shape(a)[-1]) // 3)
def _lu_factors(a: Any) -> Any:
    """The LU factors of each matrix, which its systems share: those of the value, of the gradient, of the tangent."""
    return call_lapack("solve", _SINGULAR, factorizations.lu_factors, a)


def _solve_jvp(t: Any, y: Any, a: Any, factors: Any, _b: Any, *, transpose: bool) -> Any:
    """The tangent ``dy`` of ``a y = b`` solves ``a dy = db - da y``."""
    moved = t[2]
    if t[0] is not None:
        product = v.matmul(swap_last_axes(t[0]) if transpose else t[0], y)
        moved = -product if moved is None else moved - product
    return v.solve(a, factors, moved, transpose=transpose)


def _solve_vjps(g: Any, y: Any, a: Any, factors: Any, _b: Any, *, transpose: bool) -> tuple[Any, None, Any]:
    """The cotangents of both sides, from one solution with the transposed matrix."""
    back = v.solve(a, factors, g, transpose=not transpose)
    left, right = (y, back) if transpose else (back, y)
    return v.matmul(-left, swap_last_axes(right)), None, back


def _flops(y: Any, a: Any, *_: Any) -> int:
    return int(2 * np.size(y) * np.shape(a)[-1])


@general(
    lambda g, y, a, factors, _b, *, transpose: _solve_vjps(g, y, a, factors, _b, transpose=transpose)[0],
    lambda _g, _y, _a, _factors, _b, *, transpose: None,
    lambda g, _y, a, factors, _b, *, transpose: v.solve(a, factors, g, transpose=not transpose),
    vjp_all=_solve_vjps,
    jvp=_solve_jvp,
    flops=_flops,
    flops_back=lambda y, a, *_, asked: (1 + (0 in asked)) * _flops(y, a),
)
def _solve(_a: Any, factors: Any, b: Any, transpose: bool) -> Any:
    """The solution ``y`` of ``a @ y = b``, or with the transposed matrices, for stacks with the same number of axes."""
    return call_lapack("solve", _SINGULAR, factorizations.lu_solve, factors, b, transpose)


def solve(a: Any, b: Any) -> Tensor:
    """Solve the linear system ``a @ x = b``.

    Parameters
    ----------
    a : Tensor or array_like
        Square matrices.
    b : Tensor or array_like
        With one axis a vector; with more axes matrices, one system for each column.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If ``a`` is not square, or ``b`` has another number of rows.
    StructureError
        If a matrix is singular.

    Notes
    -----
    **Shapes.** ``(..., n, n)`` and ``(n,)`` give ``(..., n)``; ``(..., n, n)`` and ``(..., n, k)`` give
    ``(..., n, k)``. Stacks broadcast.
    **Gradient.** For ``b`` the solution with ``aᵀ``; for ``a`` minus its outer product with ``x``.
    **Cost.** 2/3 n³ for the factors, where SciPy is installed once for all derivatives, and 2 n² k; the gradient
    solves once more, also that of both.

    Examples
    --------
    >>> ak.solve([[2.0, 0.0], [0.0, 4.0]], [1.0, 1.0]).numpy()
    array([0.5 , 0.25])
    """
    a, b, back = prepare_system("solve", a, b)
    return back(_solve(a, _lu_factors(a), b, False))


@general(
    lambda g, y, _x: -v.matmul(v.matmul(swap_last_axes(y), g), swap_last_axes(y)),
    jvp=lambda t, y, _x: -v.matmul(v.matmul(y, t[0]), y),
    flops=lambda y, x: 2 * np.size(x) * np.shape(x)[-1],
)
def _inv(x: Any) -> Any:
    """The inverse of each matrix."""
    return call_lapack("inv", _SINGULAR, np.linalg.inv, x)


def inv(a: Any) -> Tensor:
    """The inverse of a square matrix, or of each in a stack.

    Parameters
    ----------
    a : Tensor or array_like

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the matrices are not square.
    StructureError
        If one is singular.

    Notes
    -----
    **Gradient.** ``-yᵀ g yᵀ``, from the result alone. **Cost.** 2 n³. To solve a system, :func:`solve` is faster and
    more accurate.

    Examples
    --------
    >>> ak.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    (a,), back = to_lapack_dtype("inv", a)
    check_matrices("inv", a)
    return back(_inv(a))


def _pinv_vjp(g: Any, y: Any, x: Any, *, rcond: Any) -> Any:
    """Golub and Pereyra's formula: the transpose of :func:`_pinv_jvp`."""
    across, back = _gram_matrix(y), _gram_matrix(swap_last_axes(y))
    gt = swap_last_axes(g)
    off_rows = v.matmul(gt - v.matmul(x, v.matmul(y, gt)), across)
    off_columns = v.matmul(back, gt - v.matmul(v.matmul(gt, y), x))
    return off_rows + off_columns - v.matmul(swap_last_axes(y), v.matmul(g, swap_last_axes(y)))


def _pinv_jvp(t: Any, y: Any, x: Any, *, rcond: Any) -> Any:
    dx = swap_last_axes(t[0])
    off_rows = v.matmul(_gram_matrix(y), dx - v.matmul(v.matmul(dx, x), y))
    off_columns = v.matmul(dx - v.matmul(y, v.matmul(x, dx)), _gram_matrix(swap_last_axes(y)))
    return off_rows + off_columns - v.matmul(y, v.matmul(t[0], y))


def _gram_matrix(y: Any) -> Any:
    """y yᵀ for each matrix."""
    return v.matmul(y, swap_last_axes(y))


@general(_pinv_vjp, jvp=_pinv_jvp, flops=lambda y, x: 14 * np.size(x) * min(np.shape(x)[-2:], default=0))
def _pinv(x: Any, rcond: Any = None) -> Any:
    """The pseudo-inverse of each matrix."""
    least = max(x.shape[-2:]) * np.finfo(x.dtype).eps if rcond is None else rcond
    return call_lapack("pinv", NOT_FINITE, lambda a: np.linalg.pinv(a, least), x)


def pinv(a: Any, rcond: float | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse: the inverse if it exists, otherwise the matrix of the least-squares solution.

    Parameters
    ----------
    a : Tensor or array_like
        Matrices, square or not.
    rcond : float, optional
        Singular values below this fraction of the largest count as 0; by default machine precision times the longer
        side.

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If an entry is nan or infinite.

    Notes
    -----
    **Gradient.** Among matrices of the same rank [1]_; where the rank changes there is none.

    References
    ----------
    .. [1] G. H. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems
       whose variables separate", SIAM J. Numer. Anal. 10(2), 1973.

    Examples
    --------
    >>> ak.pinv([[1.0], [1.0]]).numpy().round(3)
    array([[0.5, 0.5]])
    """
    (a,), back = to_lapack_dtype("pinv", a)
    check_matrices("pinv", a, square=False)
    return back(_pinv(a, None if rcond is None else check_number("pinv: rcond", rcond)))
