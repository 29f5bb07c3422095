"""Views, indexing, gathering and joining. All linear; the record holds no values for them.

Rules must work with extra leading axes in front (a whole Jacobian in one pass), so axes are kept negative and shapes
trailing: the public functions normalise them, the operations below count from the end.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.rules import linear, v
from autodiff_kit.core.tensor import Tensor, lift, plain
from autodiff_kit.errors import DtypeError, RangeError, ShapeError

__all__ = [
    "broadcast_to", "concat", "diff", "expand_dims", "flip", "getitem", "moveaxis", "permute_dims", "ravel", "reshape",
    "roll", "sort", "split", "squeeze", "stack", "swapaxes", "take", "take_along_axis", "transpose",
]  # fmt: skip


def negative_axis(axis: Any, ndim: int, name: str) -> int:
    """An axis counted from the end, checked."""
    k = operator.index(axis)
    if not -ndim <= k < ndim:
        raise ShapeError(f"{name}: axis {axis} is out of range for a value with {ndim} axes")
    return k if k < 0 else k - ndim


# -------------------------------------------------------------------------------- the shape
def _target_shape(x: Any, shape: Any) -> tuple[int, ...]:
    wanted = (shape,) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)
    try:
        return np.empty(x.shape, np.bool_).reshape(wanted).shape if x.size < 1 << 16 else _big_shape(x.size, wanted)
    except ValueError as error:
        raise ShapeError(f"reshape: {x.size} entries of shape {x.shape} do not fit into shape {wanted}") from error


def _big_shape(size: int, wanted: tuple[int, ...]) -> tuple[int, ...]:
    known = int(np.prod([n for n in wanted if n != -1], dtype=np.int64))
    full = tuple(size // max(known, 1) if n == -1 else n for n in wanted)
    if int(np.prod(full, dtype=np.int64)) != size:
        raise ValueError("sizes differ")
    return full


@linear(
    lambda g, _y, _x, *, shape, ndim: v.reshape(g, shape=_x.shape, ndim=len(shape)),
    prepare=lambda x, shape, ndim=None: {"shape": _target_shape(x, shape), "ndim": x.ndim},
)
def reshape(x: Any, shape: Any, ndim: int | None = None) -> Any:
    """The same entries in another shape; one length may be -1."""
    x = np.asarray(x)
    return x.reshape(x.shape[: x.ndim - (x.ndim if ndim is None else ndim)] + tuple(shape))


def ravel(x: Any) -> Tensor:
    """All entries along one axis."""
    return reshape(x, (-1,))


@linear(
    lambda g, _y, _x, *, axes: v.permute_dims(g, axes=_inverse(axes)),
    prepare=lambda x, axes=None: {"axes": _permutation(x.ndim, axes)},
)
def permute_dims(x: Any, axes: Any = None) -> Any:
    """Axes in another order; reversed by default."""
    lead = np.ndim(x) - len(axes)
    return np.transpose(x, (*range(lead), *(lead + len(axes) + a for a in axes)))


def _permutation(ndim: int, axes: Any) -> tuple[int, ...]:
    order = tuple(range(ndim))[::-1] if axes is None else tuple(axes)
    found = tuple(negative_axis(a, ndim, "permute_dims") for a in order)
    if sorted(found) != list(range(-ndim, 0)):
        raise ShapeError(f"permute_dims: axes {axes} are not an order of {ndim} axes")
    return found


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    n = len(axes)
    return tuple(k - n for k in np.argsort([a + n for a in axes]))


def transpose(x: Any, axes: Any = None) -> Tensor:
    """Axes in another order; reversed by default. The same as :func:`permute_dims`."""
    return permute_dims(x, axes)


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged."""
    t = lift(x)
    a, b = (negative_axis(k, t.ndim, "swapaxes") for k in (axis1, axis2))
    order = list(range(-t.ndim, 0))
    order[a], order[b] = order[b], order[a]
    return permute_dims(t, order)


def moveaxis(x: Any, source: int, destination: int) -> Tensor:
    """One axis moved to another place."""
    t = lift(x)
    order = list(range(t.ndim))
    order.insert(destination % t.ndim, order.pop(source % t.ndim))
    return permute_dims(t, order)


@linear(
    lambda g, _y, _x, *, axis: v.squeeze(g, axis=axis),
    prepare=lambda x, axis: {"axis": _new_axes(x.ndim, axis)},
)
def expand_dims(x: Any, axis: Any) -> Any:
    """New axes of length 1."""
    return np.expand_dims(x, axis)


def _new_axes(ndim: int, axis: Any) -> tuple[int, ...]:
    many = (axis,) if np.ndim(axis) == 0 else tuple(axis)
    return tuple(negative_axis(a, ndim + len(many), "expand_dims") for a in many)


@linear(
    lambda g, _y, _x, *, axis: v.expand_dims(g, axis=axis),
    prepare=lambda x, axis=None: {"axis": _unit_axes(x.shape, axis)},
)
def squeeze(x: Any, axis: Any = None) -> Any:
    """Axes of length 1 taken away; all of them by default."""
    return np.squeeze(x, axis)


def _unit_axes(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(k - len(shape) for k, n in enumerate(shape) if n == 1)
    many = (axis,) if np.ndim(axis) == 0 else tuple(axis)
    return tuple(negative_axis(a, len(shape), "squeeze") for a in many)


@linear(
    lambda g, _y, _x, *, shape: g,  # the engine sums what was broadcast
    prepare=lambda x, shape: {"shape": (int(shape),) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)},
)
def broadcast_to(x: Any, shape: Any) -> Any:
    """The value repeated to a larger shape, without copying."""
    x = np.asarray(x)
    lead = x.shape[: max(0, x.ndim - len(shape))]
    return np.broadcast_to(x, lead + tuple(shape))


# -------------------------------------------------------------------------------- indexing
def _index(x: Any, index: Any, ndim: int = 0) -> dict[str, Any]:
    parts = index if isinstance(index, tuple) else (index,)
    return {"index": tuple(_index_part(part) for part in parts), "ndim": x.ndim}


def _index_part(part: Any) -> Any:
    """One member of an index; arrays are copied, since the record keeps them and users may write to theirs."""
    part = np.array(plain(part)) if isinstance(part, (list, np.ndarray)) else plain(part)
    whole = not isinstance(part, (float, np.ndarray)) or np.asarray(part).dtype.kind in "iub"
    if not whole and np.size(part):
        raise DtypeError(f"an index is a whole number, a slice or a mask, not {np.asarray(part).dtype}")
    return part if whole else part.astype(np.intp)  # an empty list is an array of floats to NumPy


def _is_basic(index: tuple[Any, ...]) -> bool:
    return not any(isinstance(p, (np.ndarray, list, np.bool_, bool)) for p in index)


@linear(
    lambda g, _y, _x, *, index, ndim: v.scatter(g, index=index, shape=_x.shape, ndim=len(_y.shape)),
    prepare=_index,
)
def getitem(x: Any, index: Any, ndim: int = 0) -> Any:
    """``x[index]``: whole numbers, slices, None, Ellipsis, arrays of indices or masks."""
    x = np.asarray(x)
    lead = x.ndim - ndim
    try:
        if not lead:
            return x[index]
        if _is_basic(index):
            return x[(slice(None),) * lead + index]
        flat = x.reshape(math.prod(x.shape[:lead]), *x.shape[lead:])
        each = [row[index] for row in flat]
        shape = each[0].shape if each else np.empty(x.shape[lead:], np.bool_)[index].shape
        return np.reshape(each, x.shape[:lead] + shape).astype(x.dtype, copy=False)
    except IndexError as error:
        raise RangeError(f"index {index} of a value of shape {x.shape[lead:]}: {error}") from error


@linear(lambda g, _y, _x, *, index, shape, ndim: v.getitem(g, index=index, ndim=len(shape)))
def scatter(x: Any, index: Any, shape: Any, ndim: int = 0) -> Any:
    """Zeros of ``shape`` to which ``x`` is added at ``index``; what stands there twice adds up."""
    x = np.asarray(x)
    lead = x.ndim - ndim
    half = x.dtype == np.float16
    out = np.zeros(x.shape[:lead] + tuple(shape), np.float32 if half else x.dtype)
    if _is_basic(index):
        out[(slice(None),) * lead + index] += x
    elif not lead and (loop := _row_loop(index, shape, out.dtype)) is not None:
        loop(
            out.reshape(shape[0], -1),
            index[0].reshape(-1),
            np.ascontiguousarray(x, out.dtype).reshape(index[0].size, -1),
        )
    else:
        count = math.prod(x.shape[:lead])
        for row, part in zip(out.reshape(count, *shape), x.reshape(count, *x.shape[lead:]), strict=True):
            np.add.at(row, index, part)
    return out.astype(x.dtype) if half else out


def _row_loop(index: tuple[Any, ...], shape: Any, dtype: np.dtype[Any]) -> Any:
    """The compiled loop for whole rows by their number, where it fits."""
    rows = index[0] if len(index) == 1 else None
    fits = isinstance(rows, np.ndarray) and rows.dtype == np.int64 and rows.size and 0 not in shape
    return kernels.ready("add_rows") if fits and dtype.char in "fd" else None


def take(x: Any, indices: Any, axis: int | None = None) -> Tensor:
    """Entries, rows or columns by their number.

    Parameters
    ----------
    x : Tensor or array_like
    indices : array_like of int
        A number may occur more than once; negative ones count from the end.
    axis : int, optional
        By default the entries are numbered as if along one axis.

    Returns
    -------
    Tensor

    Raises
    ------
    RangeError
        If a number is outside its axis.

    Notes
    -----
    **Gradient.** Added up where a number occurs more than once.

    Examples
    --------
    >>> ak.take([10.0, 20.0], [0, 0, 1]).numpy()
    array([10., 10., 20.])
    """
    t = lift(x)
    numbers = np.asarray(plain(indices))
    if numbers.dtype.kind not in "iu":
        raise DtypeError(f"take: indices are whole numbers, not {numbers.dtype}")
    if axis is None:
        return ravel(x)[numbers]
    place = negative_axis(axis, t.ndim, "take") + t.ndim
    return t[(slice(None),) * place + (numbers,)]


def take_along_axis(x: Any, indices: Any, axis: int = -1) -> Tensor:
    """Entries by their number along one axis, a number for each place, as NumPy's."""
    t = lift(x)
    numbers = np.asarray(plain(indices))
    place = negative_axis(axis, t.ndim, "take_along_axis") + t.ndim
    grid = list(np.ogrid[tuple(slice(n) for n in numbers.shape)])
    grid[place] = numbers
    return t[tuple(grid)]


def sort(x: Any, axis: int = -1) -> Tensor:
    """Entries in rising order along an axis, stable; the gradient follows each entry to its place."""
    t = lift(x)
    return take_along_axis(t, np.argsort(t._value, axis=axis, kind="stable"), axis)


def flip(x: Any, axis: Any = None) -> Tensor:
    """Entries in reverse order along one axis, some, or all."""
    t = lift(x)
    axes = range(t.ndim) if axis is None else ((axis,) if np.ndim(axis) == 0 else axis)
    turned = {negative_axis(a, t.ndim, "flip") + t.ndim for a in axes}
    return t[tuple(slice(None, None, -1) if k in turned else slice(None) for k in range(t.ndim))]


@linear(
    lambda g, _y, _x, *, shift, axis: v.roll(g, shift=tuple(-s for s in shift), axis=axis),
    prepare=lambda x, shift, axis=-1: _shifts(x.ndim, shift, axis),
)
def roll(x: Any, shift: Any, axis: Any = -1) -> Any:
    """Entries moved along axes; what leaves at the end comes in at the front."""
    return np.roll(x, shift, axis)


def _shifts(ndim: int, shift: Any, axis: Any) -> dict[str, Any]:
    shifts = (int(shift),) if np.ndim(shift) == 0 else tuple(int(s) for s in shift)
    axes = (axis,) if np.ndim(axis) == 0 else tuple(axis)
    return {"shift": shifts, "axis": tuple(negative_axis(a, ndim, "roll") for a in axes)}


def diff(x: Any, axis: int = -1) -> Tensor:
    """Differences of neighbours along an axis."""
    t = lift(x)
    place = negative_axis(axis, t.ndim, "diff") + t.ndim
    before = (slice(None),) * place
    return t[(*before, slice(1, None))] - t[(*before, slice(None, -1))]


# -------------------------------------------------------------------------------- joining
def _pieces(g: Any, lengths: Sequence[int], axis: int) -> list[Any]:
    ends = np.cumsum([0, *lengths])
    tail = (slice(None),) * (-axis - 1)
    return [g[(Ellipsis, slice(int(a), int(b)), *tail)] for a, b in pairwise(ends)]


@linear(
    lambda g, _y, *_xs, axis: _pieces(g, [np.shape(x)[axis] for x in _xs], axis),
    prepare=lambda arrays, axis=0: {"axis": negative_axis(axis, arrays[0].ndim, "concat")},
)
def concat(arrays: Any, axis: int = 0) -> Any:
    """Arrays one after the other along an axis."""
    return np.concatenate(arrays, axis)


@linear(
    lambda g, _y, *_xs, axis: [g[(Ellipsis, k, *(slice(None),) * (-axis - 1))] for k in range(len(_xs))],
    prepare=lambda arrays, axis=0: {"axis": negative_axis(axis, arrays[0].ndim + 1, "stack")},
)
def stack(arrays: Any, axis: int = 0) -> Any:
    """Arrays of one shape along a new axis."""
    return np.stack(arrays, axis)


def split(x: Any, sections: Any, axis: int = 0) -> list[Tensor]:
    """An array cut into equal parts, or before the given places."""
    t = lift(x)
    place = negative_axis(axis, t.ndim, "split") + t.ndim
    cuts = np.array_split(np.arange(t.shape[place]), sections)
    if np.ndim(sections) == 0 and len({len(c) for c in cuts}) > 1:
        raise ShapeError(f"split: {t.shape[place]} entries do not fall into {sections} equal parts")
    before = (slice(None),) * place
    return [t[(*before, slice(int(c[0]), int(c[-1]) + 1) if len(c) else slice(0, 0))] for c in cuts]
