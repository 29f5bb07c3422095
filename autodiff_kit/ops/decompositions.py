"""Matrix decompositions: Cholesky, QR, eigenvalues and eigenvectors.

A decomposition is computed once, by an operation without a gradient whose result holds all parts as rows of one array.
Each part is a separate operation on the matrix and that array. So each VJP can use all parts, and they are recorded
if the gradient is differentiated again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import as_array, concrete_only, opaque
from autodiff_kit.errors import StructureError
from autodiff_kit.ops import factorizations
from autodiff_kit.ops.axes import swap_last_axes
from autodiff_kit.ops.diagonals import triu
from autodiff_kit.ops.families import general, linear, nondifferentiable
from autodiff_kit.ops.lapack import (
    NOT_FINITE,
    as_row,
    call_lapack,
    check_distinct,
    check_matrices,
    cubic_flops,
    no_cotangent,
    to_lapack_dtype,
)
from autodiff_kit.ops.matrix_products import matmul


def _solve_triangular(a: Any, b: Any, lower: bool) -> Any:
    """The solution of ``a @ y = b`` with triangular matrices, in rules."""
    return v.solve_triangular(a, b, lower=lower, unit_diagonal=False)


# -------------------------------------------------------------------------------- Cholesky
def _lower_half_diagonal(x: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    own = unwrap(x)
    return x * factorizations.lower_half(np.shape(own)[-1], own.dtype)


def _cholesky_vjp(g: Any, y: Any, _x: Any) -> Any:
    plain = not isinstance(g, Value) and not isinstance(y, Value)
    if plain and np.shape(y)[-1] > factorizations.BLOCK:
        return _cholesky_cotangent(g, y)
    upper = swap_last_axes(y)
    half = _solve_triangular(upper, _lower_half_diagonal(v.matmul(upper, g)), lower=False)
    return swap_last_axes(_solve_triangular(upper, swap_last_axes(half), lower=False))


@opaque
def _cholesky_cotangent(g: Any, y: Any) -> Any:
    """The same in a sixth of the operations; only its symmetric part is the same."""
    return factorizations.cholesky_cotangent(g, y)


def _cholesky_jvp(t: Any, y: Any, _x: Any) -> Any:
    half = _solve_triangular(y, t[0], lower=True)
    return v.matmul(y, _lower_half_diagonal(swap_last_axes(_solve_triangular(y, swap_last_axes(half), lower=True))))


@general(_cholesky_vjp, jvp=_cholesky_jvp, flops=cubic_flops(1 / 3))
def _cholesky(x: Any) -> Any:
    """The lower triangular Cholesky factor of each matrix."""
    advice = "All eigenvalues must be above 0; adding a small multiple of np.eye(n) increases them"
    return call_lapack("cholesky", advice, factorizations.cholesky_factor, x)


def cholesky(a: Any) -> Tensor:
    """The Cholesky decomposition ``l @ lᵀ = a`` of a symmetric positive definite matrix, or of each in a stack.

    Parameters
    ----------
    a : Tensor or array_like
        Only its symmetric part is used.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the matrices are not square.
    StructureError
        If one is not positive definite.

    Notes
    -----
    **Gradient.** Symmetric: the two entries of a pair (i, j), (j, i) change together [1]_. **Cost.** n³ / 3.

    References
    ----------
    .. [1] I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527, 2016.

    Examples
    --------
    >>> ak.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]])
    """
    (a,), back = to_lapack_dtype("cholesky", a)
    check_matrices("cholesky", a)
    return back(_cholesky(_symmetric_part(a)))


# -------------------------------------------------------------------------------- QR
def _strictly_lower_skew(k: Any) -> Any:
    """The strictly lower triangle of ``k - kᵀ``."""
    return v.tril(k - swap_last_axes(k), k=-1)


def _r_factor(y: Any, x: Any) -> Any:
    """The factor R of a QR decomposition, from the matrix and Q; raises if it is singular."""
    r = v.triu(v.matmul(swap_last_axes(y), x), k=0)
    _check_independent_columns(unwrap(r))
    return r


@concrete_only
def _check_independent_columns(r: Any) -> None:
    """Raise where the factor R has a 0 on its diagonal within rounding."""
    sizes = np.abs(np.diagonal(r, 0, -2, -1))
    if (sizes <= sizes.shape[-1] * np.finfo(sizes.dtype).eps * sizes.max(-1, keepdims=True, initial=0)).any():
        raise StructureError("qr has no derivative here: the columns are linearly dependent, so q is not unique")


def _orthogonal_vjp(g: Any, y: Any, x: Any) -> Any:
    k = v.matmul(swap_last_axes(y), g)
    moved = g + v.matmul(y, _strictly_lower_skew(k) - k)
    return swap_last_axes(_solve_triangular(_r_factor(y, x), swap_last_axes(moved), lower=False))


def _orthogonal_jvp(t: Any, y: Any, x: Any) -> Any:
    moved = swap_last_axes(_solve_triangular(swap_last_axes(_r_factor(y, x)), swap_last_axes(t[0]), lower=True))
    m = v.matmul(swap_last_axes(y), moved)
    low = v.tril(m, k=-1)
    return moved + v.matmul(y, low - swap_last_axes(low) - m)


@general(_orthogonal_vjp, jvp=_orthogonal_jvp, flops=cubic_flops(4))
def _orthogonal(x: Any) -> Any:
    """The factor Q of the QR decomposition of a matrix with no more columns than rows."""
    return np.linalg.qr(x)[0]


class QRResult(NamedTuple):
    """A matrix with orthonormal columns, and an upper triangular one."""

    Q: Tensor
    R: Tensor


def qr(a: Any, mode: str = "reduced") -> QRResult:
    """The QR decomposition: a matrix with orthonormal columns times an upper triangular one.

    Parameters
    ----------
    a : Tensor or array_like
    mode : {"reduced"}, optional

    Returns
    -------
    QRResult
        ``(Q, R)``.

    Raises
    ------
    StructureError
        If another mode is given; in the gradient, if the columns are linearly dependent.

    Notes
    -----
    **Shapes.** ``(..., m, n)`` gives ``(..., m, k)`` and ``(..., k, n)``, where k is the smaller of both.

    Examples
    --------
    >>> q, r = ak.qr([[3.0, 1.0], [4.0, 1.0]])
    >>> (q @ r).numpy().round(9)
    array([[3., 1.],
           [4., 1.]])
    """
    if str(mode) != "reduced":
        raise StructureError(f"qr: mode must be 'reduced', got {mode!r}; the other modes have no unique derivative")
    (a,), back = to_lapack_dtype("qr", a)
    check_matrices("qr", a, square=False)
    rows, columns = a.shape[-2:]
    q = _orthogonal(a if columns <= rows else a[..., :rows])
    return QRResult(back(q), back(triu(matmul(swap_last_axes(q), a))))


# -------------------------------------------------------------------------------- eigenvalues
@nondifferentiable(flops=cubic_flops(9))
def _eigh(x: Any) -> Any:
    """The eigenvalues of symmetric matrices as the first row, the eigenvectors as columns below it."""
    values, vectors = call_lapack("eigh", NOT_FINITE, np.linalg.eigh, x)
    return np.concatenate([values[..., None, :], vectors], -2)


def _eigen_parts(x: Any, found: Any) -> tuple[Any, Any]:
    """The eigenvalues and the eigenvectors, recorded."""
    return v.eigh_part(x, found, part="values"), v.eigh_part(x, found, part="vectors")


def _eigen_vjp(g: Any, _y: Any, x: Any, found: Any, *, part: str) -> Any:
    values, vectors = _eigen_parts(x, found)
    if part == "values":
        return v.matmul(vectors * as_row(g), swap_last_axes(vectors))
    inside = _inverse_gaps(values, "eigh", "eigenvalues") * v.matmul(swap_last_axes(vectors), g)
    return v.matmul(vectors, v.matmul(inside, swap_last_axes(vectors)))


def _eigen_jvp(t: Any, _y: Any, x: Any, found: Any, *, part: str) -> Any:
    values, vectors = _eigen_parts(x, found)
    inside = v.matmul(swap_last_axes(vectors), v.matmul(t[0], vectors))
    if part == "values":
        return v.diagonal(inside, offset=0)
    return v.matmul(vectors, _inverse_gaps(values, "eigh", "eigenvalues") * inside)


def _inverse_gaps(values: Any, name: str, meant: str) -> Any:
    """One over the differences of the values, 0 on the diagonal."""
    check_distinct(unwrap(values), name, meant)
    eye = np.eye(np.shape(unwrap(values))[-1], dtype=unwrap(values).dtype)
    return (1 - eye) / (as_row(values) - v.expand_dims(values, axis=(-1,)) + eye)


@general(_eigen_vjp, no_cotangent, jvp=_eigen_jvp)
def _eigh_part(x: Any, found: Any, part: str) -> Any:
    """The eigenvalues, or the eigenvectors, from a computed decomposition."""
    return found[..., 0, :] if part == "values" else found[..., 1:, :]


class EighResult(NamedTuple):
    """Eigenvalues in ascending order, and eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eigh(a: Any) -> EighResult:
    """Eigenvalues and eigenvectors of a symmetric matrix, or of each in a stack.

    Parameters
    ----------
    a : Tensor or array_like
        Only its symmetric part is used.

    Returns
    -------
    EighResult
        ``(eigenvalues, eigenvectors)``; vectors are columns, each up to its sign.

    Raises
    ------
    ShapeError
        If the matrices are not square.
    StructureError
        In the gradient of the vectors, if eigenvalues coincide.

    Notes
    -----
    **Gradient.** Symmetric. The gradient of the values always exists; for equal eigenvalues it depends on the computed
    vectors. Forward mode also computes the tangents of the vectors: for values alone use :func:`eigvalsh`.
    **Cost.** 9 n³.

    Examples
    --------
    >>> ak.eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues.numpy()
    array([1., 2.])
    """
    (a,), back = to_lapack_dtype("eigh", a)
    check_matrices("eigh", a)
    x = _symmetric_part(a)
    found = _eigh(x)
    return EighResult(back(_eigh_part(x, found, "values")), back(_eigh_part(x, found, "vectors")))


def eigvalsh(a: Any) -> Tensor:
    """The eigenvalues of a symmetric matrix in ascending order; see :func:`eigh`."""
    (a,), back = to_lapack_dtype("eigvalsh", a)
    check_matrices("eigvalsh", a)
    x = _symmetric_part(a)
    return back(_eigh_part(x, _eigh(x), "values"))


@linear(lambda g, _y, _x: v.symmetric_part(g))
def _symmetric_part(x: Any) -> Any:
    """``(x + xᵀ) / 2``; a symmetric matrix is unchanged, bit by bit."""
    x = as_array(x)
    return (x + x.swapaxes(-1, -2)) / x.dtype.type(2)
