"""Singular values and singular vectors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import concrete_only
from autodiff_kit.core.validation import check_flag
from autodiff_kit.errors import StructureError
from autodiff_kit.ops.axes import swap_last_axes
from autodiff_kit.ops.families import general, nondifferentiable
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


@nondifferentiable(flops=cubic_flops(22))
def _svd(x: Any) -> Any:
    """Left vectors as columns, below them a row of the singular values, below it the right vectors as columns."""
    u, s, vt = call_lapack("svd", NOT_FINITE, lambda a: np.linalg.svd(a, full_matrices=False), x)
    return np.concatenate([u, s[..., None, :], vt.swapaxes(-1, -2)], -2)


def _singular_parts(x: Any, found: Any) -> tuple[Any, Any, Any]:
    """The left vectors, the singular values and the right vectors, recorded."""
    u, s, w = (v.svd_part(x, found, part=part) for part in ("left", "values", "right"))
    return u, s, w


def _singular_vjp(g: Any, _y: Any, x: Any, found: Any, *, part: str) -> Any:
    u, s, w = _singular_parts(x, found)
    if part == "values":  # a singular value has a kink at 0; its subgradient of smallest norm is 0
        return v.matmul(u * as_row(v.select(g, 0.0, condition=unwrap(s) != 0)), swap_last_axes(w))
    own, other = (u, w) if part == "left" else (w, u)
    k = _inverse_gaps_of_squares(s) * v.matmul(swap_last_axes(own), g)
    inside = (k + swap_last_axes(k)) * as_row(s)
    answer = v.matmul(v.matmul(own, inside), swap_last_axes(other))
    if _has_more_rows(own):
        _check_positive(unwrap(s))
        answer = answer + v.matmul(
            g - v.matmul(own, v.matmul(swap_last_axes(own), g)), swap_last_axes(other / as_row(s))
        )
    return answer if part == "left" else swap_last_axes(answer)


def _singular_jvp(t: Any, _y: Any, x: Any, found: Any, *, part: str) -> Any:
    u, s, w = _singular_parts(x, found)
    if part == "values":
        return v.select(
            v.diagonal(v.matmul(swap_last_axes(u), v.matmul(t[0], w)), offset=0), 0.0, condition=unwrap(s) != 0
        )
    own, other, moved = (u, w, t[0]) if part == "left" else (w, u, swap_last_axes(t[0]))
    seen = v.matmul(moved, other)
    p = v.matmul(swap_last_axes(own), seen) * as_row(s)
    answer = v.matmul(own, _inverse_gaps_of_squares(s) * (p + swap_last_axes(p)))
    if _has_more_rows(own):
        _check_positive(unwrap(s))
        answer = answer + (seen - v.matmul(own, v.matmul(swap_last_axes(own), seen))) / as_row(s)
    return answer


def _inverse_gaps_of_squares(s: Any) -> Any:
    """One over the differences of the squares, 0 on the diagonal."""
    check_distinct(unwrap(s), "svd", "singular values")
    eye = np.eye(np.shape(unwrap(s))[-1], dtype=unwrap(s).dtype)
    column = v.expand_dims(s, axis=(-1,))
    return (1 - eye) / ((as_row(s) - column) * (as_row(s) + column) + eye)


def _has_more_rows(x: Any) -> bool:
    """Whether a matrix has more rows than columns, so that its columns do not span the space."""
    rows, columns = np.shape(unwrap(x))[-2:]
    return bool(rows > columns)


@concrete_only
def _check_positive(s: Any) -> None:
    if not (s > 0).all():
        raise StructureError("svd: vectors have no derivative where a singular value is 0; use the values alone")


@general(_singular_vjp, no_cotangent, jvp=_singular_jvp)
def _svd_part(x: Any, found: Any, part: str) -> Any:
    """The singular values, or the vectors of one side as columns, from a computed decomposition."""
    rows = found.shape[-2] - x.shape[-1] - 1
    return {"left": found[..., :rows, :], "values": found[..., rows, :], "right": found[..., rows + 1 :, :]}[part]


class SVDResult(NamedTuple):
    """Left vectors as columns, singular values in descending order, right vectors as rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def svd(a: Any, full_matrices: bool = False) -> SVDResult:
    """The singular value decomposition ``u @ diag(s) @ vh``, of a matrix or of each in a stack.

    Parameters
    ----------
    a : Tensor or array_like
    full_matrices : {False}, optional
        Further vectors, without a singular value, would have no unique derivative.

    Returns
    -------
    SVDResult
        ``(U, S, Vh)``; the number of vectors on each side is that of the values.

    Raises
    ------
    StructureError
        If full matrices are requested and are larger, or an entry is nan or infinite; in the gradient of the vectors,
        if singular values coincide.

    Notes
    -----
    **Shapes.** ``(..., m, n)`` gives ``(..., m, k)``, ``(..., k)`` and ``(..., k, n)``; k is the smaller of both.
    **Gradient.** The gradient of the values always exists; at 0 it is 0, the subgradient of smallest norm. Vectors are
    unique up to a common sign of both sides; a loss must not depend on this sign. Forward mode also computes the
    tangents of the vectors: for values alone use :func:`svdvals`.

    References
    ----------
    .. [1] J. Townsend, "Differentiating the singular value decomposition", 2016.

    Examples
    --------
    >>> ak.svd([[3.0, 0.0], [0.0, 4.0]]).S.numpy()
    array([4., 3.])
    """
    (a,), back = to_lapack_dtype("svd", a)
    check_matrices("svd", a, square=False)
    if check_flag("svd: full_matrices", full_matrices) and a.shape[-1] != a.shape[-2]:
        raise StructureError(
            "svd: vectors without a singular value have no unique derivative; pass full_matrices=False"
        )
    found = _svd(a)
    u, s, w = (_svd_part(a, found, part) for part in ("left", "values", "right"))
    return SVDResult(back(u), back(s), back(swap_last_axes(w)))


def svdvals(a: Any) -> Tensor:
    """The singular values of a matrix, in descending order.

    Parameters
    ----------
    a : Tensor or array_like
        Matrices ``(..., m, n)``.

    Returns
    -------
    Tensor
        ``(..., min(m, n))``.

    Raises
    ------
    ShapeError
        If it has fewer than two axes.
    StructureError
        If an entry is nan or infinite.

    Notes
    -----
    **Gradient.** ``U diag(g) Vᵀ``, also where singular values are equal.

    Examples
    --------
    >>> ak.svdvals([[3.0, 0.0], [0.0, 4.0]]).tolist()
    [4.0, 3.0]
    """
    (a,), back = to_lapack_dtype("svdvals", a)
    check_matrices("svdvals", a, square=False)
    return back(_svd_part(a, _svd(a), "values"))
