"""The index of an operation: checks, and the same index behind leading axes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.tracer import as_array
from autodiff_kit.errors import ConcretizationError, DtypeError
from autodiff_kit.ops.axes import checked_int, is_array_index

__all__ = [
    "checked_index",
    "checked_index_part",
    "checked_slice",
    "index_after_leading_axes",
    "is_basic_index",
    "reads_all_in_order",
]


def checked_index(index: Any) -> tuple[Any, ...]:
    """An index as a tuple of checked parts."""
    if type(index) is int:
        return (index,)
    parts = index if type(index) is tuple else tuple(index) if isinstance(index, tuple) else (index,)
    for p in parts:
        if type(p) is slice:
            is_plain = type(p.start) in _BOUND_TYPES and type(p.stop) in _BOUND_TYPES and type(p.step) in _BOUND_TYPES
        else:
            is_plain = p is None or p is Ellipsis or type(p) is int
        if not is_plain:
            return tuple([checked_index_part(part) for part in parts])
    return parts  # most of them: nothing in it can change


def checked_index_part(part: Any) -> Any:
    """One part of an index; arrays are copied, because the tape keeps them and users may change theirs."""
    if part is None or part is Ellipsis or type(part) is int:
        return part
    if type(part) is slice:
        return checked_slice(part)
    if isinstance(part, Value):
        part._mark_exit("chose")
    try:
        own = np.array(unwrap(part)) if isinstance(part, (list, tuple, np.ndarray)) else unwrap(part)
        kind = as_array(own).dtype.kind
    except ValueError as error:
        raise DtypeError(f"an index cannot be converted to an array: {error}") from error
    if kind not in "iub" and np.size(own):
        raise DtypeError(f"an index must be an integer, a slice or a mask, got {as_array(own).dtype}")
    return own if kind in "iub" else own.astype(np.intp)  # NumPy makes an array of floats from an empty list


def checked_slice(part: slice) -> slice:
    """A slice with bounds of type int, or None."""
    bounds = part.start, part.stop, part.step  # NumPy cuts them off at the length of the axis
    try:
        return slice(*[k if k is None else checked_int(k, "a slice", bounded=False) for k in bounds])
    except ConcretizationError as error:
        raise ConcretizationError(
            "the length of a slice must be known, but ak.compile or ak.vmap has no numbers for its bounds. "
            "x[start + ak.arange(n)] reads n entries from start, and x.at[start + ak.arange(n)].set(values) sets them."
        ) from error


_BOUND_TYPES = {int, type(None)}
_BASIC_TYPES = {int, slice, type(None), type(Ellipsis)}


def is_basic_index(index: tuple[Any, ...]) -> bool:
    """Whether an index has only integers, slices, None and Ellipsis."""
    return _BASIC_TYPES.issuperset(map(type, index)) or not any(map(is_array_index, index))


def reads_all_in_order(index: tuple[Any, ...], size: int, entries: int) -> bool:
    """Whether a basic index that reads ``entries`` of an array of ``size`` entries only inserts or drops axes."""
    if size != entries:
        return False
    return all(type(p) in _BASIC_TYPES and (type(p) is not slice or p.step is None or p.step > 0) for p in index)


def index_after_leading_axes(index: tuple[Any, ...], lead: int) -> tuple[Any, ...] | None:
    """The same index after ``lead`` leading axes; None if NumPy would move the axes of separated index arrays to the
    front.
    """
    if not lead:
        return index
    picks = [k for k, p in enumerate(index) if is_array_index(p) or isinstance(p, (int, np.integer))]
    if not is_basic_index(index) and any(b - a > 1 for a, b in pairwise(picks)):
        return None
    return (slice(None),) * lead + index
