"""Matrices as products: Cholesky, QR, eigenvalues and their vectors.

A decomposition is computed once, by an operation without a slope that gives its parts as rows of one array. Each part
is an operation of its own on the matrix and that array, so that the rules have all parts at hand, recorded where they
are to be differentiated again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.operation import general, v, zero
from autodiff_kit.core.tensor import Standin, Tensor, plain
from autodiff_kit.errors import StructureError
from autodiff_kit.ops.diagonals import symmetric_part, triu
from autodiff_kit.ops.linear_systems import NOT_FINITE, lapack, stack, working
from autodiff_kit.ops.matrix_products import matmul, turn

__all__ = ["cholesky", "eigh", "eigvalsh", "qr"]


def cube(share: float) -> Any:
    """The cost of a decomposition: so many times rows, columns, and the shorter of both."""
    return lambda y, x: int(share * np.size(x) * min(np.shape(x)[-2:], default=0))


def apart(x: Any, name: str, meant: str) -> None:
    """Raise where two of these numbers are the same, as far as rounding tells: then vectors can turn freely."""
    x = plain(x)
    if isinstance(x, Standin):
        return
    order = np.sort(x, axis=-1)
    near = np.diff(order) <= x.shape[-1] * np.finfo(x.dtype).eps * np.abs(x).max(-1, keepdims=True, initial=0)
    if near.any():
        raise StructureError(
            f"{name} has no derivative here: {meant} coincide (near {order[..., 1:][near][0]:.6g}), and their vectors "
            f"can turn freely. Use the values alone ({meant} have a gradient), or move the matrix a little."
        )


# -------------------------------------------------------------------------------- Cholesky
def _lower(x: Any) -> Any:
    """Below the diagonal, and half of it."""
    n = np.shape(plain(x))[-1]
    return x * (np.tril(np.ones((n, n))) - np.eye(n) / 2).astype(plain(x).dtype)


def _cholesky_pull(g: Any, y: Any, _x: Any) -> Any:
    inside = _lower(v.matmul(turn(y), g))
    return turn(v.solve(turn(y), turn(v.solve(turn(y), inside))))


def _cholesky_push(t: Any, y: Any, _x: Any) -> Any:
    return v.matmul(y, _lower(turn(v.solve(y, turn(v.solve(y, t[0]))))))


@general(_cholesky_pull, jvp=_cholesky_push, flops=cube(1 / 3))
def cholesky_(x: Any) -> Any:
    """The lower triangle whose product with its transpose is ``x``."""
    advice = "All eigenvalues must be above 0; adding a small multiple of np.eye(n) lifts them"
    return lapack("cholesky", advice, np.linalg.cholesky, x)


def cholesky(a: Any) -> Tensor:
    """The lower triangular ``l`` with ``l @ lᵀ = a``, of a symmetric positive definite matrix or of each in a stack.

    Parameters
    ----------
    a : Tensor or array_like
        Its symmetric part is taken.

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
    **Gradient.** Symmetric: both places of a pair move together [1]_. **Cost.** n³ / 3.

    References
    ----------
    .. [1] I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527, 2016.

    Examples
    --------
    >>> ak.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]])
    """
    (a,), back = working("cholesky", a)
    stack("cholesky", a)
    return back(cholesky_(symmetric_part(a)))


# -------------------------------------------------------------------------------- QR
def _skew(k: Any) -> Any:
    """What the lower triangle of ``k - kᵀ`` is, alone."""
    return v.tril(k - turn(k), k=-1)


def _triangle(y: Any, x: Any) -> Any:
    r = v.triu(v.matmul(turn(y), x), k=0)
    if isinstance(plain(r), Standin):
        return r
    sizes = np.abs(np.diagonal(plain(r), 0, -2, -1))
    if (sizes <= sizes.shape[-1] * np.finfo(sizes.dtype).eps * sizes.max(-1, keepdims=True, initial=0)).any():
        raise StructureError("qr has no derivative here: the columns depend on each other, so q is not unique")
    return r


def _orthogonal_pull(g: Any, y: Any, x: Any) -> Any:
    k = v.matmul(turn(y), g)
    moved = g + v.matmul(y, _skew(k) - k)
    return turn(v.solve(_triangle(y, x), turn(moved)))


def _orthogonal_push(t: Any, y: Any, x: Any) -> Any:
    moved = turn(v.solve(turn(_triangle(y, x)), turn(t[0])))
    m = v.matmul(turn(y), moved)
    low = v.tril(m, k=-1)
    return moved + v.matmul(y, low - turn(low) - m)


@general(_orthogonal_pull, jvp=_orthogonal_push, flops=cube(4))
def orthogonal(x: Any) -> Any:
    """The orthonormal factor of a matrix with no more columns than rows."""
    return np.linalg.qr(x)[0]


class QRResult(NamedTuple):
    """A matrix with orthonormal columns, and an upper triangular one."""

    Q: Tensor
    R: Tensor


def qr(a: Any, mode: str = "reduced") -> QRResult:
    """A matrix as the product of one with orthonormal columns and an upper triangular one.

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
        If another mode is asked for; in the gradient, if columns depend on each other.

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
        raise StructureError(f"qr: mode is 'reduced', not {mode!r}; the other modes have no unique derivative")
    (a,), back = working("qr", a)
    stack("qr", a, square=False)
    rows, columns = a.shape[-2:]
    q = orthogonal(a if columns <= rows else a[..., :rows])
    return QRResult(back(q), back(triu(matmul(turn(q), a))))


# -------------------------------------------------------------------------------- eigenvalues
@zero(flops=cube(9))
def eigen_rows(x: Any) -> Any:
    """The eigenvalues of symmetric matrices as a first row, the vectors as columns below it."""
    values, vectors = lapack("eigh", NOT_FINITE, np.linalg.eigh, x)
    return np.concatenate([values[..., None, :], vectors], -2)


def _eigen(x: Any, found: Any) -> tuple[Any, Any]:
    return v.eigen_part(x, found, part="values"), v.eigen_part(x, found, part="vectors")


def _eigen_pull(g: Any, _y: Any, x: Any, found: Any, *, part: str) -> Any:
    values, vectors = _eigen(x, found)
    if part == "values":
        return v.matmul(vectors * row(g), turn(vectors))
    inside = _gaps(values, "eigh", "eigenvalues") * v.matmul(turn(vectors), g)
    return v.matmul(vectors, v.matmul(inside, turn(vectors)))


def _eigen_push(t: Any, _y: Any, x: Any, found: Any, *, part: str) -> Any:
    values, vectors = _eigen(x, found)
    inside = v.matmul(turn(vectors), v.matmul(t[0], vectors))
    if part == "values":
        return v.diagonal(inside, offset=0)
    return v.matmul(vectors, _gaps(values, "eigh", "eigenvalues") * inside)


def _gaps(values: Any, name: str, meant: str) -> Any:
    """One over the differences, 0 on the diagonal."""
    apart(values, name, meant)
    eye = np.eye(np.shape(plain(values))[-1], dtype=plain(values).dtype)
    return (1 - eye) / (row(values) - v.expand_dims(values, axis=(-1,)) + eye)


def row(x: Any) -> Any:
    return v.expand_dims(x, axis=(-2,))


def nothing(_g: Any, _y: Any, _x: Any, _found: Any, *, part: str) -> None:
    """What was found is another view of the matrix, through which nothing comes back."""


@general(_eigen_pull, nothing, jvp=_eigen_push)
def eigen_part(x: Any, found: Any, part: str) -> Any:
    """The eigenvalues, or the vectors, of symmetric matrices whose decomposition was found."""
    return found[..., 0, :] if part == "values" else found[..., 1:, :]


class EighResult(NamedTuple):
    """Eigenvalues in rising order, and a vector for each as a column."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eigh(a: Any) -> EighResult:
    """Eigenvalues and eigenvectors of a symmetric matrix, or of each in a stack.

    Parameters
    ----------
    a : Tensor or array_like
        Its symmetric part is taken.

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
    **Gradient.** Symmetric. That of the values exists always; where they coincide, it follows the vectors that were
    found. In forward mode the vectors' tangents are worked out with the values': use :func:`eigvalsh` for values alone.
    **Cost.** 9 n³.

    Examples
    --------
    >>> ak.eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues.numpy()
    array([1., 2.])
    """
    (a,), back = working("eigh", a)
    stack("eigh", a)
    x = symmetric_part(a)
    found = eigen_rows(x)
    return EighResult(back(eigen_part(x, found, "values")), back(eigen_part(x, found, "vectors")))


def eigvalsh(a: Any) -> Tensor:
    """The eigenvalues of a symmetric matrix in rising order; see :func:`eigh`."""
    (a,), back = working("eigvalsh", a)
    stack("eigvalsh", a)
    x = symmetric_part(a)
    return back(eigen_part(x, eigen_rows(x), "values"))
