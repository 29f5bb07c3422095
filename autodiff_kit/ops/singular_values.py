"""Singular values and their vectors, and the norms of matrices that come from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.operation import general, v, zero
from autodiff_kit.core.tensor import Standin, Tensor, plain
from autodiff_kit.errors import ArgumentError, StructureError
from autodiff_kit.ops import norms, reductions
from autodiff_kit.ops.decompositions import apart, cube, nothing, row
from autodiff_kit.ops.linear_systems import NOT_FINITE, lapack, stack, working
from autodiff_kit.ops.matrix_products import turn

__all__ = ["matrix_norm", "svd", "svdvals"]


@zero(flops=cube(22))
def singular_rows(x: Any) -> Any:
    """Left vectors as columns, below them a row of the singular values, below it the right vectors as columns."""
    u, s, vt = lapack("svd", NOT_FINITE, lambda a: np.linalg.svd(a, full_matrices=False), x)
    return np.concatenate([u, s[..., None, :], vt.swapaxes(-1, -2)], -2)


def _singular(x: Any, found: Any) -> tuple[Any, Any, Any]:
    u, s, w = (v.singular_part(x, found, part=part) for part in ("left", "values", "right"))
    return u, s, w


def _singular_pull(g: Any, _y: Any, x: Any, found: Any, *, part: str) -> Any:
    u, s, w = _singular(x, found)
    if part == "values":  # at 0 a singular value has a kink: the smallest of its slopes is 0
        return v.matmul(u * row(v.select(g, 0.0, condition=plain(s) != 0)), turn(w))
    own, other = (u, w) if part == "left" else (w, u)
    k = _squared_gaps(s) * v.matmul(turn(own), g)
    inside = (k + turn(k)) * row(s)
    answer = v.matmul(v.matmul(own, inside), turn(other))
    if _tall(own):
        answer = answer + v.matmul(g - v.matmul(own, v.matmul(turn(own), g)), turn(other / row(_above_zero(s))))
    return answer if part == "left" else turn(answer)


def _singular_push(t: Any, _y: Any, x: Any, found: Any, *, part: str) -> Any:
    u, s, w = _singular(x, found)
    if part == "values":
        return v.select(v.diagonal(v.matmul(turn(u), v.matmul(t[0], w)), offset=0), 0.0, condition=plain(s) != 0)
    own, other, moved = (u, w, t[0]) if part == "left" else (w, u, turn(t[0]))
    seen = v.matmul(moved, other)
    p = v.matmul(turn(own), seen) * row(s)
    answer = v.matmul(own, _squared_gaps(s) * (p + turn(p)))
    if _tall(own):
        answer = answer + (seen - v.matmul(own, v.matmul(turn(own), seen))) / row(_above_zero(s))
    return answer


def _squared_gaps(s: Any) -> Any:
    """One over the differences of the squares, 0 on the diagonal."""
    apart(s, "svd", "singular values")
    eye = np.eye(np.shape(plain(s))[-1], dtype=plain(s).dtype)
    column = v.expand_dims(s, axis=(-1,))
    return (1 - eye) / ((row(s) - column) * (row(s) + column) + eye)


def _tall(x: Any) -> bool:
    """Whether there are directions that none of the columns has."""
    rows, columns = np.shape(plain(x))[-2:]
    return bool(rows > columns)


def _above_zero(s: Any) -> Any:
    if not isinstance(plain(s), Standin) and not (plain(s) > 0).all():
        raise StructureError("svd: vectors have no derivative where a singular value is 0; use the values alone")
    return s


@general(_singular_pull, nothing, jvp=_singular_push)
def singular_part(x: Any, found: Any, part: str) -> Any:
    """The singular values, or the vectors of one side as columns, of matrices whose decomposition was found."""
    rows = found.shape[-2] - x.shape[-1] - 1
    return {"left": found[..., :rows, :], "values": found[..., rows, :], "right": found[..., rows + 1 :, :]}[part]


class SVDResult(NamedTuple):
    """Left vectors as columns, singular values in falling order, right vectors as rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def svd(a: Any, full_matrices: bool = False) -> SVDResult:
    """The singular value decomposition ``u @ diag(s) @ vh``, of a matrix or of each in a stack.

    Parameters
    ----------
    a : Tensor or array_like
    full_matrices : {False}, optional
        More vectors than values would have no unique derivative.

    Returns
    -------
    SVDResult
        ``(U, S, Vh)``, with as many vectors on each side as there are values.

    Raises
    ------
    StructureError
        If full matrices are asked for and are larger; in the gradient of the vectors, if singular values coincide.

    Notes
    -----
    **Shapes.** ``(..., m, n)`` gives ``(..., m, k)``, ``(..., k)`` and ``(..., k, n)``; k is the smaller of both.
    **Gradient.** That of the values exists always; at 0 it is 0, the smallest of the slopes there. Vectors are known up
    to a sign that both sides share; a loss must not depend on it. In forward mode the vectors' tangents are worked out
    with the values': use :func:`svdvals` for values alone.

    References
    ----------
    .. [1] J. Townsend, "Differentiating the singular value decomposition", 2016.

    Examples
    --------
    >>> ak.svd([[3.0, 0.0], [0.0, 4.0]]).S.numpy()
    array([4., 3.])
    """
    (a,), back = working("svd", a)
    stack("svd", a, square=False)
    if _flag("svd", "full_matrices", full_matrices) and a.shape[-1] != a.shape[-2]:
        raise StructureError(
            "svd: vectors without a singular value have no unique derivative; pass full_matrices=False"
        )
    found = singular_rows(a)
    u, s, w = (singular_part(a, found, part) for part in ("left", "values", "right"))
    return SVDResult(back(u), back(s), back(turn(w)))


def svdvals(a: Any) -> Tensor:
    """The singular values of a matrix in falling order; see :func:`svd`."""
    (a,), back = working("svdvals", a)
    stack("svdvals", a, square=False)
    return back(singular_part(a, singular_rows(a), "values"))


def _flag(name: str, option: str, value: Any) -> bool:
    """A yes or no, checked."""
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"{name}: {option} is True or False, not {value!r}")
    return bool(value)


# -------------------------------------------------------------------------------- norms of matrices
def matrix_norm(a: Any, ord: float | str = "fro", keepdims: bool = False) -> Tensor:
    """The size of a matrix, or of each in a stack.

    Parameters
    ----------
    a : Tensor or array_like
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}, optional
        The root of all squares; the sum of the singular values; the largest or smallest sum of a column, singular
        value, or sum of a row.
    keepdims : bool, optional
        Whether both axes stay, with length 1.

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If ``ord`` is none of these.

    Notes
    -----
    **Gradient.** Equal largest ones share it; at the zero matrix it is 0.

    Examples
    --------
    >>> float(ak.matrix_norm([[3.0, 0.0], [0.0, 4.0]], "nuc"))
    7.0
    """
    (a,), back = working("matrix_norm", a)
    stack("matrix_norm", a, square=False)
    keepdims = _flag("matrix_norm", "keepdims", keepdims)
    y = _norm(a, ord)
    return back(y.reshape((*y.shape, 1, 1)) if keepdims else y)


def _norm(a: Tensor, ord: float | str) -> Tensor:
    if not isinstance(ord, (str, int, float, np.number)):
        raise ArgumentError(f"matrix_norm: ord is a number or a name, not {ord!r}")
    if ord == "fro":
        return norms.norm2(a, (-2, -1))
    least = isinstance(ord, (int, float)) and ord < 0
    extreme: Callable[..., Tensor] = reductions.min if least else reductions.max
    if ord == "nuc" or ord in (2, -2):
        return reductions.sum(svdvals(a), -1) if ord == "nuc" else extreme(svdvals(a), -1)
    if ord in (1, -1, np.inf, -np.inf):
        return extreme(reductions.sum(a.abs(), -2 if ord in (1, -1) else -1), -1)
    raise StructureError(f"matrix_norm: ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {ord!r}")


# -------------------------------------------------------------------------------- as NumPy calls them
def numpy_svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> SVDResult | Tensor:
    """NumPy's default is to give full matrices; those of a matrix that is not square raise."""
    return svd(a, full_matrices) if compute_uv else svdvals(a)
