"""Determinants, with a gradient that is also right at singular matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import opaque
from autodiff_kit.ops.axes import swap_last_axes
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import general, nondifferentiable
from autodiff_kit.ops.lapack import check_matrices, to_lapack_dtype


def _append_two_axes(g: Any) -> Any:
    """One number for each matrix, with two axes of length 1 after it."""
    return v.expand_dims(g, axis=(-2, -1))


def _sum_of_matrix(x: Any) -> Any:
    """The sum of the entries of each matrix."""
    return v.sum(x, axis=(-2, -1), keepdims=False)


@general(
    lambda g, _y, x: _append_two_axes(g) * v.cofactors(x),
    jvp=lambda t, _y, x: _sum_of_matrix(v.cofactors(x) * t[0]),
    flops=lambda y, x: (2 * np.size(x) * np.shape(x)[-1]) // 3,
)
def _det(x: Any) -> Any:
    """The determinant of each matrix."""
    return np.linalg.det(x)


def _third_derivative(x: Any, s: Any, t: Any) -> Any:
    """The derivative of ``cofactors_derivative(x, t)`` in the direction ``s``, by the inverse; symmetric in both."""
    w = swap_last_axes(v.inv(x))
    along_s, along_t = (_append_two_axes(_sum_of_matrix(w * e)) for e in (s, t))
    turned_s, turned_t = (v.matmul(w, v.matmul(swap_last_axes(e), w)) for e in (s, t))
    both = v.matmul(v.matmul(turned_s, swap_last_axes(t)), w) + v.matmul(v.matmul(turned_t, swap_last_axes(s)), w)
    traces = along_s * along_t - _append_two_axes(_sum_of_matrix(turned_s * t))
    return _append_two_axes(v.det(x)) * (traces * w - along_s * turned_t - along_t * turned_s + both)


def _cofactors_derivative_jvp(tangents: Any, _y: Any, x: Any, t: Any) -> Any:
    of_x, of_t = tangents
    part = None if of_x is None else _third_derivative(x, of_x, t)
    if of_t is None:
        return part
    other = v.cofactors_derivative(x, of_t)
    return other if part is None else part + other


@general(
    lambda g, _y, x, t: _third_derivative(x, g, t),
    lambda g, _y, x, _t: v.cofactors_derivative(x, g),
    jvp=_cofactors_derivative_jvp,
    flops=lambda y, x, _t: 20 * np.size(x) * np.shape(x)[-1],
)
def _cofactors_derivative(x: Any, t: Any) -> Any:
    """The derivative of the cofactors in the direction ``t``, linear in it and symmetric; also of singular matrices.

    A rotation of the axes rotates the cofactors, so the derivative at a diagonal matrix is enough: its entry (i, j) is
    the product of all singular values except i and j, times an entry of the direction.
    """
    u, s, vt = _svd(x)
    n = s.shape[-1]
    one, two = np.eye(n, dtype=bool)[:, None, :], np.eye(n, dtype=bool)[None, :, :]
    others = np.prod(np.where(one | two, 1, s[..., None, None, :]), axis=-1) * (1 - np.eye(n, dtype=s.dtype))
    e = v.matmul(swap_last_axes(u), v.matmul(t, swap_last_axes(vt)))
    diagonal = v.matvec(others, v.diagonal(e, offset=0))
    return v.matmul(
        u * _product_of_determinants(u, vt),
        v.matmul(v.on_diagonal(diagonal, offset=0, shape=(n, n)) - others * swap_last_axes(e), vt),
    )


@general(
    lambda g, _y, x: v.cofactors_derivative(x, g),
    jvp=lambda t, _y, x: v.cofactors_derivative(x, t[0]),
    flops=lambda y, x: 20 * np.size(x) * np.shape(x)[-1],
)
def _cofactors(x: Any) -> Any:
    """The cofactors of each matrix, ``det(x)`` times the transposed inverse; also of singular matrices."""
    u, s, vt = _svd(x)
    n = s.shape[-1]
    others = np.prod(np.where(np.eye(n, dtype=bool), 1, s[..., None, :]), axis=-1)
    return np.matmul(u * (_product_of_determinants(u, vt) * others[..., None, :]), vt)


@opaque
def _svd(x: Any) -> Any:
    """The singular value decomposition; nan for matrices that are not finite."""
    finite = np.isfinite(x).all((-2, -1), keepdims=True)
    u, s, vt = np.linalg.svd(np.where(finite, x, 0), full_matrices=False)
    return u, np.where(finite[..., 0], s, np.nan).astype(s.dtype), vt


def _product_of_determinants(u: Any, vt: Any) -> Any:
    """det(u) det(vt), which is 1 or -1, for each pair of orthogonal matrices."""
    return np.sign(np.linalg.det(u) * np.linalg.det(vt))[..., None, None]


def det(a: Any) -> Tensor:
    """The determinant of a square matrix, or of each in a stack.

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

    Notes
    -----
    **Gradient.** The cofactors, from the singular values without a division: also right at singular matrices, up to
    second order. Higher orders need an invertible matrix.
    **Cost.** 2/3 n³; the gradient 20 n³, and the gradient of the gradient n³ numbers of memory.

    Examples
    --------
    >>> ak.grad(ak.det)([[1.0, 2.0], [2.0, 4.0]]).numpy().round(9)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    (a,), back = to_lapack_dtype("det", a)
    check_matrices("det", a)
    return back(_det(a))


class SlogdetResult(NamedTuple):
    """The sign of a determinant and the logarithm of its absolute value."""

    sign: Tensor
    logabsdet: Tensor


@nondifferentiable(flops=lambda y, x: (2 * np.size(x) * np.shape(x)[-1]) // 3)
def _sign_of_det(x: Any) -> Any:
    """The sign of the determinant: 1, -1, or 0 of a singular matrix. No gradient: None."""
    return np.linalg.slogdet(x)[0]


def _inverse_transpose(y: Any, x: Any) -> Any:
    """The derivative of log|det|: the transpose of the inverse; nan at singular matrices."""
    finite = np.isfinite(unwrap(y))[..., None, None]
    return swap_last_axes(v.inv(v.select(x, np.asarray(np.nan, x.dtype), condition=finite)))


@general(
    lambda g, y, x: _append_two_axes(g) * _inverse_transpose(y, x),
    jvp=lambda t, y, x: _sum_of_matrix(_inverse_transpose(y, x) * t[0]),
    flops=lambda y, x: (2 * np.size(x) * np.shape(x)[-1]) // 3,
)
def _log_abs_det(x: Any) -> Any:
    """The logarithm of the absolute value of the determinant."""
    return np.linalg.slogdet(x)[1]


@sections_of(det)
def slogdet(a: Any) -> SlogdetResult:
    """The sign and the logarithm of the absolute value of the determinant, which itself might overflow.

    Returns
    -------
    SlogdetResult
        ``(sign, logabsdet)``; of a singular matrix 0 and -inf.

    Notes
    -----
    **Gradient.** Of the logarithm the inverse's transpose, nan at singular matrices; of the sign None.

    Examples
    --------
    >>> float(ak.slogdet(1e200 * np.eye(2)).logabsdet)
    921.034037197618...
    """
    (a,), back = to_lapack_dtype("slogdet", a)
    check_matrices("slogdet", a)
    return SlogdetResult(back(_sign_of_det(a)), back(_log_abs_det(a)))
