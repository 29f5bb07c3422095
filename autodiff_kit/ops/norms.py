"""Norms of vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import check_flag
from autodiff_kit.errors import ArgumentError, ShapeError, StructureError
from autodiff_kit.ops import reductions
from autodiff_kit.ops.axes import Axis, axes_of, normalize_axes, reduced_size, restore_axes
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.families import general
from autodiff_kit.ops.lapack import check_matrices, to_lapack_dtype
from autodiff_kit.ops.number_parameters import check_number
from autodiff_kit.ops.promotion import sum_values
from autodiff_kit.ops.reductions import max, min, sum
from autodiff_kit.ops.searching import count_nonzero
from autodiff_kit.ops.shape_manipulation import reshape
from autodiff_kit.ops.singular_values import svdvals


def _unit_vector(x: Any, y: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """x / |x|, and 0 at the origin."""
    y = restore_axes(y, axis, keepdims)
    if isinstance(y, (np.ndarray, np.floating)) and np.count_nonzero(y) == y.size:  # the usual case takes half the time
        return x / y
    away = as_array(unwrap(y)) != 0
    return v.select(x / v.select(y, 1.0, condition=away), 0.0, condition=away)


@general(
    lambda g, y, x, *, axis, keepdims: restore_axes(g, axis, keepdims) * _unit_vector(x, y, axis, keepdims),
    jvp=lambda t, y, x, *, axis, keepdims: v.sum(
        t[0] * _unit_vector(x, y, axis, keepdims), axis=axis, keepdims=keepdims
    ),
    prepare=axes_of("norm"),
    flops=lambda _y, x, *_: 2 * np.size(x),
)
def _norm2(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The Euclidean norm over axes, also where a square would overflow or underflow."""
    x = as_array(x)
    x = x if x.dtype.kind == "f" else x.astype(np.float64)  # whose squares do not wrap around
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    length = _length(wide, axis, keepdims)
    return length.astype(np.float16) if x.dtype == np.float16 else length


_SAFE_SUMS = {"f": (2.0**-72, 2.0**126), "d": (2.0**-908, 2.0**1022)}
"""Between these, a sum of squares has lost neither an overflow nor digits of small squares."""
_SCALES = {"f": (2.0**-80, 2.0**98), "d": (2.0**-560, 2.0**600)}
"""Factors for larger and for smaller sums; powers of 2 change no digit."""


def _length(x: Any, axis: Axis, keepdims: bool) -> Any:
    """The root of the sum of squares; of plain arrays without scaling, unless the sum is close to the dtype's ends."""
    low, high = _SAFE_SUMS[x.dtype.char]
    with np.errstate(over="ignore"):  # it is noticed, and computed again
        total = sum_values(np.square(x), axis, keepdims)
        if isinstance(total, (np.ndarray, np.floating)) and (
            (low < total < high) if not total.ndim else not total.size or (low < total.min() and total.max() < high)
        ):
            return np.sqrt(total)
        large, small = (
            np.sqrt(sum_values(np.square(x * x.dtype.type(scale)), axis, keepdims)) * x.dtype.type(1.0 / scale)
            for scale in _SCALES[x.dtype.char]
        )
    return np.where(total >= high, large, np.where(total <= low, small, np.sqrt(total)))


def _p_norm_derivative(x: Any, y: Any, p: float, axis: tuple[int, ...], keepdims: bool) -> Any:
    """sign(x) (|x| / y)^(p - 1), and 0 where x is 0."""
    y = restore_axes(y, axis, keepdims)
    away = (as_array(unwrap(x)) != 0) & (as_array(unwrap(y)) != 0)
    ratio = v.abs(v.select(x, 1.0, condition=away)) / v.select(y, 1.0, condition=away)
    return v.select(v.power(ratio, p - 1.0), 0.0, condition=away) * np.sign(unwrap(x))


@general(
    lambda g, y, x, *, p, axis, keepdims: restore_axes(g, axis, keepdims) * _p_norm_derivative(x, y, p, axis, keepdims),
    jvp=lambda t, y, x, *, p, axis, keepdims: v.sum(
        t[0] * _p_norm_derivative(x, y, p, axis, keepdims), axis=axis, keepdims=keepdims
    ),
    prepare=lambda x, p, axis=None, keepdims=False: {"p": p, **normalize_axes("vector_norm", x, axis, keepdims)},
    flops=lambda _y, x, *_: 3 * np.size(x),
)
def _normp(x: Any, p: float, axis: Axis = None, keepdims: bool = False) -> Any:
    """The p-norm over axes."""
    x = np.asarray(x)
    kind = x.dtype if x.dtype.kind == "f" else np.dtype(np.float64)
    size = np.abs(x.astype(np.float32 if kind == np.float16 else kind))
    return np.power(sum_values(np.power(size, p), axis, keepdims), 1.0 / p).astype(kind)


def vector_norm(x: Any, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """The norm of a vector, over axes or over all entries.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or tuple of int, optional
    keepdims : bool, optional
    ord : float, optional
        2, 1, inf, -inf, 0 for the number of nonzero entries, or any other power.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** At the origin 0 in every norm, the subgradient of smallest norm; equal largest entries share it. The
    number of nonzero entries has none: None.

    Examples
    --------
    >>> float(ak.vector_norm([[3.0], [4.0]]))
    5.0
    """
    t = as_tensor(x)
    power = check_number("vector_norm: ord", ord)
    out: Tensor
    if power == 2:
        out = _norm2(t, axis, keepdims)
    elif power == 1:
        out = sum(_floating_abs(t), axis, keepdims)
    elif power == np.inf and not reduced_size(t, normalize_axes("vector_norm", t, axis)["axis"]):
        out = sum(_floating_abs(t), axis, keepdims)  # the norm of no entries is 0
    elif np.isinf(power):
        out = (max if power > 0 else min)(_floating_abs(t), axis, keepdims)
    elif power == 0:
        out = cast(count_nonzero(t, axis, keepdims), t.dtype if t.dtype.kind == "f" else np.float64)
    else:
        out = _normp(t, power, axis, keepdims)
    return out


def _floating_abs(t: Tensor) -> Tensor:
    """|x|, floating also for integers."""
    return t.abs() if t.dtype.kind == "f" else (t * 1.0).abs()


def norm(x: Any, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The norm of vectors or matrices.

    Parameters
    ----------
    x : Tensor or array_like
    ord : float or str, optional
        By default the square root of the sum of squares. Over one axis as in :func:`vector_norm`, over two as in
        :func:`matrix_norm`.
    axis : int or tuple of int, optional
        By default all axes.
    keepdims : bool, optional

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If ``ord`` is given for no axis, or for more than two.
    StructureError, ArgumentError
        If ``ord`` is none of those of :func:`matrix_norm` or :func:`vector_norm`.

    Notes
    -----
    **Gradient.** At the origin 0 in every norm, the subgradient of smallest norm; equal largest entries share it.

    Examples
    --------
    >>> float(ak.norm([3.0, 4.0]))
    5.0
    """
    t = as_tensor(x)
    axes = normalize_axes("norm", t, axis)["axis"]
    if ord is None:
        return _norm2(t, axes, keepdims)
    if len(axes) == 1:
        return vector_norm(t, axes, keepdims, ord)
    if len(axes) != 2:
        raise ShapeError(f"norm: ord={ord!r} needs one axis or two, got {len(axes)}; use vector_norm")
    order = [k for k in range(-t.ndim, 0) if k not in axes]
    out = matrix_norm(t.transpose([*order, *axes]), ord)
    return reshape(out, [1 if k in axes else t.shape[k] for k in range(-t.ndim, 0)]) if keepdims else out


def matrix_norm(a: Any, ord: float | str = "fro", keepdims: bool = False) -> Tensor:
    """The norm of a matrix, or of each matrix in a stack.

    Parameters
    ----------
    a : Tensor or array_like
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}, optional
        The root of the sum of squares; the sum of the singular values; the largest or smallest column sum, singular
        value, or row sum.
    keepdims : bool, optional
        Whether both axes are kept, with length 1.

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If ``ord`` is none of these.

    Notes
    -----
    **Gradient.** Equal largest values share it; at the zero matrix it is 0.

    Examples
    --------
    >>> float(ak.matrix_norm([[3.0, 0.0], [0.0, 4.0]], "nuc"))
    7.0
    """
    (a,), back = to_lapack_dtype("matrix_norm", a)
    check_matrices("matrix_norm", a, square=False)
    keepdims = check_flag("matrix_norm: keepdims", keepdims)
    y = _matrix_norm(a, ord)
    return back(y.reshape((*y.shape, 1, 1)) if keepdims else y)


def _matrix_norm(a: Tensor, ord: float | str) -> Tensor:
    if not isinstance(ord, (str, int, float, np.number)):
        raise ArgumentError(f"matrix_norm: ord must be a number or a name, got {ord!r}")
    if ord == "fro":
        return _norm2(a, (-2, -1))
    least = not isinstance(ord, str) and ord < 0
    extreme: Callable[..., Tensor] = reductions.min if least else reductions.max
    if ord == "nuc" or ord in (2, -2):
        return reductions.sum(svdvals(a), -1) if ord == "nuc" else extreme(svdvals(a), -1)
    if ord in (1, -1, np.inf, -np.inf):
        return extreme(reductions.sum(a.abs(), -2 if ord in (1, -1) else -1), -1)
    raise StructureError(f"matrix_norm: ord must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}")
