"""In-place updates: writable arrays of variables, slots owned by the optimizer, running averages."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import canonical, unwrap
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.variable import Variable

__all__ = [
    "HALF",
    "OwnedSlots",
    "Slots",
    "add_to_value",
    "decay_and_add",
    "in_step_precision",
    "square_root",
    "writable_array",
    "zeros_like",
]

Slots = dict[str, Any]

HALF = np.dtype(np.float16)


class OwnedSlots(dict[str, Any]):
    """Slots whose arrays have no other references, so that a step may write into them.

    A compiled function leaves slots in a plain dict. The next step copies these, as it does slots loaded from a file.
    """

    __slots__ = ("buffers",)

    def __init__(self, slots: Slots) -> None:
        super().__init__(slots)
        self.buffers: Any = None  # views and work arrays that every step reuses

    def __reduce__(self) -> Any:
        """Copies and pickles: the slots alone, because copied buffers would be views of nothing."""
        return OwnedSlots, (dict(self),)


def _reference_count(variable: Variable) -> int:
    return sys.getrefcount(variable._value)


_SOLE_REFERENCE = _reference_count(Variable([0.0, 0.0]))
"""Reference count of an array that only its variable holds, as :func:`_reference_count` sees it."""


def writable_array(variable: Variable) -> np.ndarray[Any, Any]:
    """The array of a variable, writable: its own array if it has no other reference, otherwise a copy that replaces it.

    Counting references costs 0.1 µs, copying a table of a million rows milliseconds. Views count as references. An
    array that is a view itself is copied, since other objects may refer to what it shows.
    """
    unshared = _reference_count(variable) <= _SOLE_REFERENCE
    flags = variable._value.flags
    unshared = unshared and flags.owndata
    if unshared and not flags.writeable and flags.c_contiguous:
        flags.writeable = True  # ``.numpy()`` had made it read-only for a caller that has dropped it
    elif not (unshared and flags.carray):
        variable._value = variable._value.copy(order="C")
    array: np.ndarray[Any, Any] = variable._value
    return array


def add_to_value(variable: Variable, delta: Any) -> None:
    """Add to the value of a variable, in place if its array has no other reference."""
    unshared = type(variable._value) is np.ndarray and _reference_count(variable) <= _SOLE_REFERENCE
    if unshared and variable._value.flags.carray and variable._value.flags.owndata:
        np.add(variable._value, unwrap(delta), out=variable._value)
    else:
        variable._value = canonical(variable._value + delta)


def in_step_precision(x: Any) -> Any:
    """A value in the dtype of slots and steps: float16 as float32, any other unchanged."""
    return as_array(x, np.float32) if getattr(x, "dtype", None) == HALF else x


def zeros_like(like: Any) -> Any:
    """Zeros of the same shape and dtype, also where ``0 * value`` would be nan."""
    if type(like) is np.ndarray and like.ndim:
        return np.zeros(like.shape, like.dtype)
    return 0.0 if type(like) is float else like.dtype.type(0)


_SMALLEST_NORMAL = {np.dtype(t): float(np.finfo(t).tiny) for t in (np.float32, np.float64)}


def decay_and_add(slot: Any, factor: float, increment: Any) -> Any:
    """``factor * slot + increment``, in place if the slot is an array.

    Subnormal numbers are flushed to 0: processors are many times slower on them, and no step needs them.
    """
    if type(slot) is np.ndarray:
        slot *= factor
        slot += increment
        tiny = _SMALLEST_NORMAL.get(slot.dtype)
        if tiny is not None:
            slot[np.abs(slot) < tiny] = 0.0
        return slot
    new: Any = factor * slot + increment
    tiny = _SMALLEST_NORMAL.get(np.dtype(float) if type(new) is float else new.dtype)
    if tiny is None:
        return new
    is_number = isinstance(new, (float, np.floating))
    if is_number:
        return new if not abs(new) < tiny else type(new)(0.0)
    return np.where(np.abs(new) < tiny, 0.0, new).astype(new.dtype)


def square_root(x: Any) -> Any:
    """The square root of a Python float or an array."""
    return x**0.5 if type(x) is float else np.sqrt(x)
