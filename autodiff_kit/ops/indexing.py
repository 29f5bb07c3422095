"""Indexing: entries by their position, reversed axes, rotations. All are linear in the entries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.operation import v
from autodiff_kit.core.record import open_records
from autodiff_kit.core.sparse_gradient import EntriesGradient
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import SymbolicValue, Tracer, as_array, opaque
from autodiff_kit.errors import DtypeError, RangeError, ShapeError
from autodiff_kit.ops.axes import checked_int, checked_ints, negative_axis, trailing_shape
from autodiff_kit.ops.axis_order import swapaxes
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import linear
from autodiff_kit.ops.in_place import add_rows_at
from autodiff_kit.ops.index_arguments import checked_index, index_after_leading_axes, is_basic_index, reads_all_in_order
from autodiff_kit.ops.row_gradient import RowGradient, worth_rows
from autodiff_kit.ops.shape_manipulation import ravel


def _index_arguments(x: Any, index: Any, ndim: int = 0) -> dict[str, Any]:
    """The parameters of getitem: the checked index, and the number of axes."""
    return {"index": checked_index(index), "ndim": x.ndim}


def _getitem_entries(g: Any, like: Any, is_leaf: bool, whole: bool, *, index: Any, ndim: int) -> Any:
    """The gradient of the entries that were read; of a large table of which few rows were read, these rows."""
    if like is None:
        return None
    lead = like.ndim - ndim  # the index applies to the axes after these
    is_basic = is_basic_index(index)
    if is_leaf and not is_basic and not lead and (rows := _row_gradient(g, like, index)) is not None:
        return rows
    if whole or like.dtype.char not in "fd" or open_records.trace is not None:
        return None
    if is_basic and not lead and type(g) is np.ndarray and g.ndim and g.dtype == like.dtype:
        if reads_all_in_order(index, math.prod(like.shape), g.size):
            return g.reshape(like.shape)
        return EntriesGradient(_add_at, index, g)
    if any(isinstance(part, Tracer) for part in (g, *index)):
        return None
    return EntriesGradient(_add_entries, x=np.asarray(g, like.dtype), index=index, lead=lead)


_ZERO = {char: np.zeros((), char) for char in "fd"}


def _add_at(index: tuple[Any, ...], g: Any, total: Any, is_zero: bool = False) -> None:
    """Add to the entries of a basic index, in place."""
    if is_zero:  # faster; where g is -0.0 the sum is 0.0 all the same
        total[index] = g + _ZERO[g.dtype.char]
    else:
        view = total[index]
        np.add(view, g, out=view)


@opaque
def _counted_from_the_start(ids: Any, count: int) -> Any:
    """Row numbers in one axis, none of them negative."""
    flat = ids.reshape(-1).astype(np.int64, copy=False)
    return np.where(flat < 0, flat + count, flat)


def _row_gradient(g: Any, like: Any, index: Any) -> Any:
    """The gradient as rows, if these are few; in a trace a dense one whose rows the trace knows."""
    ids: Any = index[0] if len(index) == 1 else None
    is_array = isinstance(ids, (np.ndarray, SymbolicValue)) and ids.dtype.kind in "iu"  # type: ignore[union-attr]
    if not is_array or not worth_rows(like.shape, ids.size):
        return None
    if isinstance(g, Tracer) and not isinstance(g, SymbolicValue):
        return None
    numbers = _counted_from_the_start(ids, like.shape[0])
    rows = as_array(g).reshape(numbers.size, *like.shape[1:]).astype(like.dtype, copy=False)
    if (trace := open_records.trace) is None:
        return RowGradient(numbers, rows, like.shape)
    return trace.optimizer_steps.mark_rows(v.scatter(g, index=index, shape=like.shape, ndim=g.ndim), numbers, rows)


@linear(
    lambda g, _y, _x, *, index, ndim: v.scatter(
        g, index=index, shape=trailing_shape(_x, ndim), ndim=len(_y.shape) - len(_x.shape) + ndim
    ),
    prepare=_index_arguments,
    sparse_vjp=_getitem_entries,
)
def getitem(x: Any, index: Any, ndim: int = 0) -> Any:
    """Indexing, ``x[index]``.

    Parameters
    ----------
    x : Tensor or array_like
    index : int, slice, None, Ellipsis, array_like of int or bool, or a tuple of these
    ndim : int, optional
        For rules: how many axes at the end are indexed; by default all.

    Returns
    -------
    Tensor

    Raises
    ------
    RangeError
        If an index is out of range.

    Notes
    -----
    **Gradient.** Summed where an entry is taken more than once; elsewhere 0.

    Examples
    --------
    >>> ak.getitem([10.0, 20.0, 30.0], slice(1, None)).tolist()
    [20.0, 30.0]
    """
    if type(x) is not np.ndarray:
        x = as_array(x) if is_basic_index(index) else np.asarray(x)
    lead = x.ndim - ndim
    try:
        if not lead:
            return x[index]
        if (whole_index := index_after_leading_axes(index, lead)) is not None:
            return x[whole_index]
        flat = x.reshape(math.prod(x.shape[:lead]), *x.shape[lead:])
        each = [row[index] for row in flat]
        shape = each[0].shape if each else np.empty(x.shape[lead:], np.bool_)[index].shape
        return np.reshape(each, x.shape[:lead] + shape).astype(x.dtype, copy=False)
    except IndexError as error:
        raise RangeError(f"index {index} of a value of shape {x.shape[lead:]}: {error}") from error


@linear(
    lambda g, _y, _x, *, index, shape, ndim: v.getitem(g, index=index, ndim=len(shape)),
    flops=lambda _y, x, *_: np.size(x),
)
def _scatter(x: Any, index: Any, shape: Any, ndim: int = 0) -> Any:
    """Zeros of ``shape`` to which ``x`` is added at ``index``; entries at the same position add up."""
    x = np.asarray(x)
    lead = x.ndim - ndim
    half = x.dtype == np.float16
    out = np.zeros(x.shape[:lead] + tuple(shape), np.float32 if half else x.dtype)
    _add_entries(out, x=x, index=index, lead=lead)
    return out.astype(x.dtype) if half else out


def _add_entries(out: Any, _is_zero: bool = False, *, x: Any, index: Any, lead: int = 0) -> None:
    """Add ``x`` to an array in C order at ``index``, in place; entries at the same position add up."""
    shape = out.shape[lead:]
    at = index_after_leading_axes(index, lead)
    if is_basic_index(index) or (at is not None and all(np.asarray(p).dtype == np.bool_ for p in index)):
        out[at] += x
    elif not lead and _selects_rows(index, shape):
        rows = index[0].reshape(-1)
        add_rows_at(out.reshape(shape[0], -1), rows, np.asarray(x, out.dtype).reshape(rows.size, -1))
    elif at is not None:
        _add_repeated(out, at, x)
    else:
        count = math.prod(x.shape[:lead])
        for row, part in zip(out.reshape(count, *shape), x.reshape(count, *x.shape[lead:]), strict=True):
            _add_repeated(row, index, part)


def _selects_rows(index: tuple[Any, ...], shape: Any) -> bool:
    """Whether an index is one array of row numbers."""
    rows = index[0] if len(index) == 1 else None
    return isinstance(rows, np.ndarray) and rows.dtype.kind in "iu" and rows.size > 0 and 0 not in shape


def _add_repeated(out: Any, index: Any, x: Any) -> None:
    try:
        np.add.at(out, index, x)
    except IndexError as error:
        raise RangeError(f"index {index} of a value of shape {out.shape}: {error}") from error


# -------------------------------------------------------------------------------- take, delete
def _checked_indices(indices: Any, name: str) -> Any:
    """Indices as an array of integers; raises if they are not integers."""
    if isinstance(indices, Value):
        indices._mark_exit("chose")
    numbers = as_array(as_tensor(indices)._value)
    numbers = numbers if numbers.size else numbers.astype(np.intp)
    if numbers.dtype.kind not in "iu":
        raise DtypeError(f"{name}: indices must be integers, got {numbers.dtype}")
    return numbers


@sections_of(getitem)
def take(x: Any, indices: Any, axis: int | None = None) -> Tensor:
    """Take entries, rows or columns by their indices.

    Parameters
    ----------
    x : Tensor or array_like
    indices : array_like of int
        An index may occur more than once; negative ones count from the end.
    axis : int, optional
        By default the array is flattened.

    Notes
    -----
    **Gradient.** Summed where an index occurs more than once.

    Examples
    --------
    >>> ak.take([10.0, 20.0], [0, 0, 1]).numpy()
    array([10., 10., 20.])
    """
    t = as_tensor(x)
    numbers = _checked_indices(indices, "take")
    if axis is None:
        return ravel(t)[numbers]
    place = negative_axis(axis, t.ndim, "take") + t.ndim
    return t[(slice(None),) * place + (numbers,)]


def take_along_axis(x: Any, indices: Any, axis: int | None = -1) -> Tensor:
    """Take entries along one axis by an array of indices.

    Parameters
    ----------
    x : Tensor or array_like
    indices : array_like of int
        The same number of axes as ``x``; the other axes broadcast.
    axis : int or None, optional
        None flattens the array.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the numbers of axes are not equal.

    Examples
    --------
    >>> x = [[3.0, 1.0, 2.0]]
    >>> ak.take_along_axis(x, ak.argsort(x)).numpy()
    array([[1., 2., 3.]])
    """
    t, numbers = as_tensor(x), _checked_indices(indices, "take_along_axis")
    if axis is None:
        t, axis = ravel(t), 0
    place = negative_axis(axis, t.ndim, "take_along_axis") + t.ndim
    if numbers.ndim != t.ndim:
        raise ShapeError(f"take_along_axis: a value of shape {t.shape} and indices of shape {numbers.shape} differ in "
                         "their numbers of axes")  # fmt: skip
    grid: list[Any] = list(np.ogrid[tuple(slice(n) for n in t.shape)])
    grid[place] = numbers
    return t[tuple(grid)]


# -------------------------------------------------------------------------------- reversed order


def flip(x: Any, axis: Any = None) -> Tensor:
    """Reverse the order of entries along one axis, some, or all."""
    t = as_tensor(x)
    axes = range(t.ndim) if axis is None else checked_ints(axis, "flip")
    turned = [negative_axis(a, t.ndim, "flip") + t.ndim for a in axes]
    if len(set(turned)) < len(turned):
        raise ShapeError(f"flip: axis {axis} names one axis twice")
    return t[tuple(slice(None, None, -1) if k in turned else slice(None) for k in range(t.ndim))]


def flipud(x: Any) -> Tensor:
    """Reverse the order of rows."""
    return flip(x, 0)


def fliplr(x: Any) -> Tensor:
    """Reverse the order of columns."""
    return flip(x, 1)


def rot90(x: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """Rotate by 90 degrees ``k`` times in the plane of two axes, from the first axis towards the second.

    Parameters
    ----------
    x : Tensor or array_like
    k : int, optional
    axes : pair of int, optional

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the axes are not two different axes.

    Examples
    --------
    >>> ak.rot90([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[2., 4.],
           [1., 3.]])
    """
    t, turns = as_tensor(x), checked_int(k, "rot90") % 4
    plane = [negative_axis(a, t.ndim, "rot90") for a in checked_ints(axes, "rot90")]
    if len(plane) != 2 or plane[0] == plane[1]:
        raise ShapeError(f"rot90: axes must be two different axes, got {axes}")
    first, second = plane
    if turns % 2 == 0:
        return flip(t, plane) if turns else t
    return swapaxes(flip(t, second), first, second) if turns == 1 else flip(swapaxes(t, first, second), second)
