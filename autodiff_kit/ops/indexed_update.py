"""Functional updates: a copy of a value in which some entries are replaced, ``x.at[index].set(values)``.

Every update is one operation, :func:`_replace`, on what is computed from the old entries and the given ones. An index
with arrays is first turned into row numbers, so that the rows lie along one axis whatever the index was.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array, concrete_only, opaque
from autodiff_kit.errors import DtypeError, RangeError, ShapeError
from autodiff_kit.ops.arithmetic import add, maximum, minimum, multiply
from autodiff_kit.ops.axes import is_array_index, trailing_shape
from autodiff_kit.ops.broadcasting import broadcast_to
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.families import general
from autodiff_kit.ops.index_arguments import checked_index, index_after_leading_axes, is_basic_index
from autodiff_kit.ops.indexing import getitem
from autodiff_kit.ops.promotion import integer_in_dtype
from autodiff_kit.ops.segment_reductions import segment_max, segment_min, segment_prod, segment_sum
from autodiff_kit.ops.selection import where
from autodiff_kit.ops.shape_manipulation import reshape

Combine = Callable[[Any, Any], Tensor]


# ------------------------------------------------------------------------------------------------------- the operation
def _replace_vjp_values(g: Any, _y: Any, _x: Any, _values: Any, *, index: Any, ndim: int, rank: int, kept: Any) -> Any:
    """The cotangent of the entries that were kept; 0 for those that a later one at the same position replaced."""
    part = v.getitem(g, index=index, ndim=ndim)
    return part if kept is None else v.select(part, 0.0, condition=kept.reshape(-1, *(1,) * (rank - 1)))


def _replace_jvp(t: Any, _y: Any, x: Any, _values: Any, **params: Any) -> Any:
    old, new = t
    if old is None:
        shape = () if type(x) is float else trailing_shape(x, params["ndim"])
        old = np.zeros(shape, getattr(new, "dtype", np.float64))
    return v.replace(old, 0.0 if new is None else new, **params)


@general(
    lambda g, _y, _x, _values, **params: v.replace(g, 0.0, **params),
    _replace_vjp_values,
    jvp=_replace_jvp,
)
def _replace(x: Any, values: Any, index: Any, ndim: int, rank: int, kept: Any = None) -> Any:
    """``x`` with ``values`` at ``index``; of several values for one position, the last.

    ``ndim`` and ``rank`` are the numbers of axes of ``x`` and of ``values`` without leading ones. ``kept`` says for
    each row of an array of row numbers whether it is the last with its number; None where no number is repeated.
    """
    x, values = np.asarray(x), np.asarray(values)
    own = x.shape[x.ndim - ndim :]
    lead = np.broadcast_shapes(x.shape[: x.ndim - ndim], values.shape[: max(values.ndim - rank, 0)])
    out = np.array(np.broadcast_to(x, (*lead, *own)))
    out[index_after_leading_axes(index, len(lead))] = values
    return out


# ------------------------------------------------------------------------------------------------- from index to rows
@opaque
def _row_numbers(shape: tuple[int, ...], *index: Any) -> Any:
    """The numbers of the rows that an index selects, where ``shape`` counts the rows along each axis."""
    try:
        return np.arange(math.prod(shape)).reshape(shape)[index]
    except IndexError as error:
        raise RangeError(f"at: index {index} of axes of lengths {shape}: {error}") from error


@opaque
def _last_with_same_number(rows: Any, count: int) -> Any:
    """For each row number, the place of the last one that is equal to it."""
    last = np.empty(count, np.intp)
    last[rows] = np.arange(rows.size)  # NumPy keeps the last of several values for one position
    return last[rows]


@concrete_only
def _are_distinct(last: Any) -> bool:
    """Whether every row number occurs once."""
    return bool(np.all(last == np.arange(last.size)))


def _indexed_axes(index: tuple[Any, ...], ndim: int) -> int:
    """How many of the first axes an index with arrays speaks of; with slices, None or Ellipsis among its parts, all."""
    if any(part is None or part is Ellipsis or isinstance(part, slice) for part in index):
        return ndim
    arrays = [as_array(part) for part in index]
    return min(sum(part.ndim if part.dtype == np.bool_ else 1 for part in arrays), ndim)


# ------------------------------------------------------------------------------------------------------------- updates
def _update(x: Any, index: Any, values: Any, combine: Combine | None, reduce: Callable[..., Any] | None) -> Tensor:
    """``x`` with ``combine(old, values)`` at ``index``; ``reduce`` joins several values for one position before."""
    t = as_tensor(x)
    parts = checked_index(index)
    new = _in_dtype_of(t, values)
    if (condition := _mask_of_entries(parts, t.shape, new.shape)) is not None:
        if combine is not None:  # where around the operation and in it: what is not chosen gives no nan to a gradient
            one = np.ones((), t.dtype)
            new = combine(where(condition, t, one), where(condition, new, one))
        chosen: Tensor = where(condition, new, t)
        return chosen
    if is_basic_index(parts):
        new = _in_shape(new, _selected_shape(t.shape, parts))
        if combine is not None:
            new = combine(t[parts], new)
        return v.replace(t, new, index=parts, ndim=t.ndim, rank=new.ndim)  # type: ignore[no-any-return]
    return _update_rows(t, parts, new, combine, reduce)


def _update_rows(
    t: Tensor, index: tuple[Any, ...], new: Tensor, combine: Combine | None, reduce: Callable[..., Any] | None
) -> Tensor:
    """An update by an index with arrays: the axes of which the index speaks become one axis of rows."""
    axes = _indexed_axes(index, t.ndim)
    count, rest = math.prod(t.shape[:axes]), t.shape[axes:]
    rows = _row_numbers(t.shape[:axes], *index)
    table = reshape(t, (count, *rest))
    new = reshape(_in_shape(new, (*rows.shape, *rest)), (math.prod(rows.shape), *rest))
    rows = rows.reshape(-1)
    last = _last_with_same_number(rows, count)
    distinct = _are_distinct(last)  # None where the index is not known while a function is traced
    if reduce is not None and not distinct:
        new = getitem(reduce(new, ids=last, count=new.shape[0], ndim=new.ndim), (last,))
    if combine is not None:
        new = combine(getitem(table, (rows,)), new)
    kept = None if distinct else last == np.arange(rows.size)
    replaced = v.replace(table, new, index=(rows,), ndim=table.ndim, rank=new.ndim, kept=kept)
    return reshape(replaced, t.shape)


def _mask_of_entries(index: tuple[Any, ...], shape: tuple[int, ...], given: tuple[int, ...]) -> Any:
    """The condition of ``where`` for one mask and values that do not differ between the places that it selects."""
    if len(index) != 1 or not is_array_index(index[0]):
        return None
    mask = as_array(index[0])
    rest = shape[mask.ndim :]
    if mask.dtype != np.bool_ or mask.shape != shape[: mask.ndim] or not _broadcasts_to(given, rest):
        return None
    return mask.reshape((*mask.shape, *(1,) * len(rest)))


def _broadcasts_to(given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(given) <= len(shape) and all(n in (1, m) for n, m in zip(given[::-1], shape[::-1], strict=False))


def _selected_shape(shape: tuple[int, ...], index: tuple[Any, ...]) -> tuple[int, ...]:
    try:
        selected = np.broadcast_to(False, shape)[index]  # a view, without memory of its own
    except IndexError as error:
        raise RangeError(f"at: index {index} of a value of shape {shape}: {error}") from error
    return np.shape(selected)


def _in_dtype_of(x: Tensor, values: Any) -> Tensor:
    """The values in the dtype of ``x``, which an update keeps."""
    new = as_tensor(integer_in_dtype(values, x.dtype, "at") if type(values) is int and x.dtype.kind != "b" else values)
    if new.dtype == x.dtype:
        return new
    if new.dtype.kind not in {"f": "biuf", "i": "biu", "u": "biu", "b": "b"}[x.dtype.kind]:
        fitting = "booleans" if x.dtype.kind == "b" else "integers"
        raise DtypeError(
            f"at: a value of dtype {x.dtype} keeps its dtype and cannot hold {new.dtype}. Make it of floating-point "
            f"numbers first (ak.cast(x, float)), or give {fitting}."
        )
    return cast(new, x.dtype)


def _in_shape(values: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The values, broadcast to the shape of the entries that an index selects."""
    if values.shape == shape:
        return values
    if not _broadcasts_to(values.shape, shape):
        raise ShapeError(
            f"at: the index selects entries of shape {shape}, and values of shape {values.shape} do not broadcast to it"
        )
    return broadcast_to(values, shape)


class IndexedUpdate:
    """Some entries of a value, ``x.at[index]``: read by :meth:`get`, updated in a copy by the other methods."""

    __slots__ = ("_index", "_x")

    def __init__(self, x: Any, index: Any) -> None:
        self._x, self._index = x, index

    def get(self) -> Tensor:
        """The entries themselves, ``x[index]``."""
        return getitem(self._x, self._index)

    def set(self, values: Any) -> Tensor:
        """``x`` with ``values`` at the index; of several values for one position, the last."""
        return _update(self._x, self._index, values, None, None)

    def add(self, values: Any) -> Tensor:
        """``x`` with ``values`` added at the index; several values for one position add up."""
        return _update(self._x, self._index, values, add, segment_sum)

    def multiply(self, values: Any) -> Tensor:
        """``x`` multiplied by ``values`` at the index; by all of several values for one position."""
        return _update(self._x, self._index, values, multiply, segment_prod)

    def min(self, values: Any) -> Tensor:
        """``x`` with the smaller one of the old entry and ``values`` at the index."""
        return _update(self._x, self._index, values, minimum, segment_min)

    def max(self, values: Any) -> Tensor:
        """``x`` with the larger one of the old entry and ``values`` at the index."""
        return _update(self._x, self._index, values, maximum, segment_max)


class _Indexable:
    """What ``x.at`` is: only an index makes an update of it."""

    __slots__ = ("_x",)

    def __init__(self, x: Any) -> None:
        self._x = x

    def __getitem__(self, index: Any) -> IndexedUpdate:
        return IndexedUpdate(self._x, index)


def at_property(x: Value) -> Any:
    """Functional updates, as in JAX: ``x.at[index].set(values)`` is a copy of ``x`` with other entries at the index.

    ========================  ==================================================================
    ``x.at[i].set(v)``        ``x[i] = v`` on the copy
    ``x.at[i].add(v)``        ``x[i] += v``
    ``x.at[i].multiply(v)``   ``x[i] *= v``
    ``x.at[i].min(v)``        ``x[i] = minimum(x[i], v)``
    ``x.at[i].max(v)``        ``x[i] = maximum(x[i], v)``
    ``x.at[i].get()``         ``x[i]``
    ========================  ==================================================================

    Where the index names a position more than once, ``set`` takes the last value; the others use every value: ``add``
    adds them all. JAX's further methods (``divide``, ``power``, ``apply``) are left out: write
    ``x.at[i].multiply(1 / v)``, or ``x.at[i].set(f(x[i]))``.

    Notes
    -----
    **Shapes.** The index may hold integers, slices, Ellipsis, None, arrays of integers and masks, as in ``x[i]``; ``v``
    broadcasts to the shape of ``x[i]``. An index out of range is a RangeError (JAX drops such an update).
    **Dtypes.** The result has the dtype of ``x``, and ``v`` is converted to it. Where that would lose a fraction, as
    with a floating ``v`` for integers, it is a DtypeError.

    **Gradient.** To ``x`` where it was not replaced, and to ``v``. Where a position is repeated, only the value that
    ``set`` takes gets a gradient: the others get 0. At a tie of ``min`` and ``max`` the old entry and the new one get
    half each, as in :func:`minimum` and :func:`maximum`; two equal new values for one position get a quarter each.

    **Cost.** A copy of ``x``, also under :func:`compile`. With a mask and a scalar ``v`` it is a :func:`where`, whose
    mask may then be an argument of a compiled function.

    Examples
    --------
    >>> x = ak.constant([1.0, 2.0, 3.0])
    >>> x.at[0].set(9.0).numpy()
    array([9., 2., 3.])
    >>> x.at[[1, 1]].add([10.0, 20.0]).numpy()
    array([ 1., 32.,  3.])
    >>> ak.grad(lambda v: x.at[[1, 1]].set(v).sum())([10.0, 20.0]).numpy()
    array([0., 1.])
    >>> ak.grad(lambda v: x.at[[1, 1]].max(v).sum())([2.0, 2.0]).numpy()
    array([0.25, 0.25])
    """
    return _Indexable(x)
