"""Entries by their place: indexing, gathering, sorting, turning round. All linear in the entries."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.indexed_slices import RowGradient, worth_rows
from autodiff_kit.core.operation import linear, v
from autodiff_kit.core.record import open_records
from autodiff_kit.core.tensor import Standin, Tensor, array, lift, plain
from autodiff_kit.errors import DtypeError, RangeError, ShapeError
from autodiff_kit.ops.rounding import argsort
from autodiff_kit.ops.shaping import last_axes, negative_axis, ravel, several, swapaxes, whole

__all__ = [
    "argpartition", "delete", "flip", "fliplr", "flipud", "getitem", "partition", "rot90", "sort", "take",
    "take_along_axis", "topk",
]  # fmt: skip


def _index(x: Any, index: Any, ndim: int = 0) -> dict[str, Any]:
    parts = index if isinstance(index, tuple) else (index,)
    return {"index": tuple(_index_part(part) for part in parts), "ndim": x.ndim}


def _index_part(part: Any) -> Any:
    """One member of an index; arrays are copied, since the record keeps them and users may write to theirs."""
    if part is None or part is Ellipsis or type(part) is int:
        return part
    if isinstance(part, slice):
        return slice(*[None if k is None else whole(k, "a slice") for k in (part.start, part.stop, part.step)])
    try:
        own = np.array(plain(part)) if isinstance(part, (list, tuple, np.ndarray)) else plain(part)
        if isinstance(own, Standin):
            return own
    except ValueError as error:
        raise DtypeError(f"an index does not make an array: {error}") from error
    kind = np.asarray(own).dtype.kind
    if kind not in "iub" and np.size(own):
        raise DtypeError(f"an index is a whole number, a slice or a mask, not {np.asarray(own).dtype}")
    return own if kind in "iub" else own.astype(np.intp)  # an empty list is an array of floats to NumPy


def _few_rows(g: Any, like: Any, *, index: Any, ndim: int) -> RowGradient | None:
    """The gradient of a large table of which few rows were read, without a table of zeros."""
    ids = index[0] if len(index) == 1 else None
    if not isinstance(ids, np.ndarray) or open_records.recorder is not None:  # a recorded step is dense
        return None
    if ids.dtype.kind not in "iu" or not worth_rows(like.shape, ids.size):
        return None
    numbers = ids.reshape(-1) % like.shape[0]  # those below 0 count from the end
    rows = np.asarray(g).reshape(numbers.size, *like.shape[1:])
    return RowGradient(numbers, rows.astype(like.dtype, copy=False), like.shape)


def _picks(part: Any) -> bool:
    return isinstance(part, (np.ndarray, list, np.bool_, bool, Standin))


def _is_basic(index: tuple[Any, ...]) -> bool:
    return not any(_picks(p) for p in index)


def _behind(index: tuple[Any, ...], lead: int) -> tuple[Any, ...] | None:
    """The same index behind leading axes; None where NumPy would put the axes of separate arrays before those."""
    picks = [k for k, p in enumerate(index) if _picks(p) or isinstance(p, (int, np.integer))]
    if not _is_basic(index) and any(b - a > 1 for a, b in pairwise(picks)):
        return None
    return (slice(None),) * lead + index


@linear(
    lambda g, _y, _x, *, index, ndim: v.scatter(
        g, index=index, shape=last_axes(_x, ndim), ndim=len(_y.shape) - len(_x.shape) + ndim
    ),
    prepare=_index,
    rows=_few_rows,
)
def getitem(x: Any, index: Any, ndim: int = 0) -> Any:
    """``x[index]``: whole numbers, slices, None, Ellipsis, arrays of indices or masks."""
    x = array(x) if _is_basic(index) else np.asarray(x)
    lead = x.ndim - ndim
    try:
        if not lead:
            return x[index]
        if (whole_index := _behind(index, lead)) is not None:
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
def scatter(x: Any, index: Any, shape: Any, ndim: int = 0) -> Any:
    """Zeros of ``shape`` to which ``x`` is added at ``index``; what stands there twice adds up."""
    x = np.asarray(x)
    lead = x.ndim - ndim
    half = x.dtype == np.float16
    out = np.zeros(x.shape[:lead] + tuple(shape), np.float32 if half else x.dtype)
    at = _behind(index, lead)
    if _is_basic(index) or (at is not None and all(np.asarray(p).dtype == np.bool_ for p in index)):
        out[at] += x
    elif not lead and (loop := _row_loop(index, shape, out.dtype)) is not None:
        loop(
            out.reshape(shape[0], -1),
            index[0].reshape(-1),
            np.ascontiguousarray(x, out.dtype).reshape(index[0].size, -1),
        )
    elif at is not None:
        np.add.at(out, at, x)
    else:
        count = math.prod(x.shape[:lead])
        for row, part in zip(out.reshape(count, *shape), x.reshape(count, *x.shape[lead:]), strict=True):
            np.add.at(row, index, part)
    return out.astype(x.dtype) if half else out


def _row_loop(index: tuple[Any, ...], shape: Any, dtype: np.dtype[Any]) -> Any:
    """The compiled loop for whole rows by their number, where it fits."""
    rows = index[0] if len(index) == 1 else None
    fits = isinstance(rows, np.ndarray) and rows.dtype == np.int64 and rows.size and 0 not in shape
    return kernels.compiled_loop("scatter_add_rows") if fits and dtype.char in "fd" else None


# -------------------------------------------------------------------------------- by number
def _numbers(indices: Any, name: str) -> Any:
    numbers = array(lift(indices)._value)
    numbers = numbers if numbers.size else numbers.astype(np.intp)
    if numbers.dtype.kind not in "iu":
        raise DtypeError(f"{name}: indices are whole numbers, not {numbers.dtype}")
    return numbers


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
    numbers = _numbers(indices, "take")
    if axis is None:
        return ravel(t)[numbers]
    place = negative_axis(axis, t.ndim, "take") + t.ndim
    return t[(slice(None),) * place + (numbers,)]


def take_along_axis(x: Any, indices: Any, axis: int | None = -1) -> Tensor:
    """Entries by their number along one axis, a number for each place.

    Parameters
    ----------
    x : Tensor or array_like
    indices : array_like of int
        As many axes as ``x``; the other axes broadcast.
    axis : int or None, optional
        None numbers the entries as if along one axis.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the numbers of axes differ.

    Examples
    --------
    >>> x = [[3.0, 1.0, 2.0]]
    >>> ak.take_along_axis(x, ak.argsort(x)).numpy()
    array([[1., 2., 3.]])
    """
    t, numbers = lift(x), _numbers(indices, "take_along_axis")
    if axis is None:
        t, axis = ravel(t), 0
    place = negative_axis(axis, t.ndim, "take_along_axis") + t.ndim
    if numbers.ndim != t.ndim:
        raise ShapeError(f"take_along_axis: a value of shape {t.shape} and indices of shape {numbers.shape} differ in "
                         "their numbers of axes")  # fmt: skip
    grid: list[Any] = list(np.ogrid[tuple(slice(n) for n in t.shape)])
    grid[place] = numbers
    return t[tuple(grid)]


def delete(x: Any, obj: Any, axis: int | None = None) -> Tensor:
    """What is left without some entries, rows or columns; by default entries as if along one axis.

    Arguments as NumPy's.
    """
    t = lift(x) if axis is not None else ravel(x)
    place = negative_axis(-1 if axis is None else axis, t.ndim, "delete") + t.ndim
    part = _index_part(obj)
    try:
        left = np.delete(np.arange(t.shape[place]), part)
    except IndexError as error:
        raise RangeError(f"delete: {error}") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError(f"delete: {error}") from error
    return take(t, left, place)


# -------------------------------------------------------------------------------- in order
def sort(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Entries in rising order along an axis.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or None, optional
        None sorts all entries into one vector.
    descending : bool, optional
        Whether to fall instead of rise.
    stable : bool, optional
        Equal entries keep their order in any case.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** It follows each entry to its place.

    Examples
    --------
    >>> ak.sort([3.0, 1.0, 2.0], descending=True).numpy()
    array([3., 2., 1.])
    """
    t = ravel(x) if axis is None else lift(x)
    place = negative_axis(-1 if axis is None else axis, t.ndim, "sort")
    return take_along_axis(t, argsort(t._value, place, descending), place)


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """The ``k`` largest entries along an axis, the largest first, and their positions.

    Parameters
    ----------
    x : Tensor or array_like
    k : int
    axis : int, optional
    largest : bool, optional
        False for the smallest, the smallest first.

    Returns
    -------
    values, positions : Tensor

    Raises
    ------
    RangeError
        If the axis has fewer than ``k`` entries.

    Notes
    -----
    **Gradient.** It follows each entry; of equal ones the first are taken, and the others get 0.

    Examples
    --------
    >>> values, positions = ak.topk([1.0, 5.0, 3.0], 2)
    >>> values.tolist(), positions.tolist()
    ([5.0, 3.0], [1, 2])
    """
    t = lift(x)
    place = negative_axis(axis, t.ndim, "topk")
    if not 0 <= whole(k, "topk") <= t.shape[place]:
        raise RangeError(f"topk: k is between 0 and the {t.shape[place]} entries of the axis, not {k}")
    order = take(argsort(t._value, place, largest), np.arange(k), place)
    return take_along_axis(t, order, place), order


def _partition_point(x: Tensor, kth: Any, axis: int | None, name: str) -> None:
    n = x.size if axis is None else x.shape[negative_axis(axis, x.ndim, name)]
    for k in several(kth, name):
        if not -n <= k < n:
            raise RangeError(f"{name}: kth {k} is out of range for {n} entries")


def partition(x: Any, kth: Any, axis: int | None = -1) -> Tensor:
    """Entries with the ``kth`` in its sorted place, smaller ones before it, larger ones behind: here, all sorted.

    Arguments as NumPy's.
    """
    t = lift(x)
    _partition_point(t, kth, axis, "partition")
    return sort(t, axis)


def argpartition(x: Any, kth: Any, axis: int | None = -1) -> Tensor:
    """Positions that bring the ``kth`` entry to its sorted place: here, those that sort. Arguments as NumPy's."""
    t = lift(x)
    _partition_point(t, kth, axis, "argpartition")
    return argsort(t, axis)


def flip(x: Any, axis: Any = None) -> Tensor:
    """Entries in reverse order along one axis, some, or all."""
    t = lift(x)
    axes = range(t.ndim) if axis is None else several(axis, "flip")
    turned = {negative_axis(a, t.ndim, "flip") + t.ndim for a in axes}
    return t[tuple(slice(None, None, -1) if k in turned else slice(None) for k in range(t.ndim))]


def flipud(x: Any) -> Tensor:
    """Rows from the last to the first."""
    return flip(x, 0)


def fliplr(x: Any) -> Tensor:
    """Columns from the last to the first."""
    return flip(x, 1)


def rot90(x: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """The plane of two axes turned ``k`` quarters, from the first axis towards the second.

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
        If the axes are not two different ones.

    Examples
    --------
    >>> ak.rot90([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[2., 4.],
           [1., 3.]])
    """
    t, turns = lift(x), whole(k, "rot90") % 4
    plane = [negative_axis(a, t.ndim, "rot90") for a in several(axes, "rot90")]
    if len(plane) != 2 or plane[0] == plane[1]:
        raise ShapeError(f"rot90: axes are two different ones, not {axes}")
    first, second = plane
    if turns % 2 == 0:
        return flip(t, plane) if turns else t
    return swapaxes(flip(t, second), first, second) if turns == 1 else flip(swapaxes(t, first, second), second)
