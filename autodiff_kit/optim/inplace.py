"""Values and slots that are written in place."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Standin, Variable

__all__ = ["Own", "Slots", "fading", "own_array", "zeros"]

Slots = dict[str, Any]


class Own(dict[str, Any]):
    """Slots whose arrays nobody else holds, so that a step may write into them.

    A compiled function leaves slots in a plain dict; the next step copies them, as it does those of a file.
    """

    __slots__ = ("room",)

    def __init__(self, slots: Slots) -> None:
        super().__init__(slots)
        self.room: Any = None  # views and buffers that a step needs again each time


def _refs(variable: Variable) -> int:
    return sys.getrefcount(variable._value)


_ALONE = _refs(Variable([0.0, 0.0]))
"""References to an array that only its variable holds, as :func:`_refs` counts them: a call adds some of its own."""


def own_array(variable: Variable) -> np.ndarray[Any, Any]:
    """The array of a variable, to be written to: its own if nobody else holds it, else a copy that takes its place.

    Counting costs 0.1 µs, copying a table of a million rows milliseconds. A view of the array counts too.
    """
    alone = _refs(variable) <= _ALONE
    flags = variable._value.flags
    if alone and not flags.writeable and flags.owndata and flags.c_contiguous:
        flags.writeable = True  # ``.numpy()`` had closed it for somebody who has let go of it
    elif not (alone and flags.carray):
        variable._value = variable._value.copy(order="C")
    own: np.ndarray[Any, Any] = variable._value
    return own


def zeros(like: Any) -> Any:
    """Zeros of the same kind, whatever the values are (0 · inf is no zero)."""
    if type(like) is np.ndarray and like.ndim:
        return np.zeros(like.shape, like.dtype)
    return 0.0 if type(like) is float else like.dtype.type(0)


_TINY = {np.dtype(t): float(np.finfo(t).tiny) for t in (np.float32, np.float64)}


def fading(slot: Any, part: float, news: Any) -> Any:
    """``part · slot + news``, in place where the slot is an array.

    Numbers below the normal range become 0: processors take many times as long over them, and no step needs them.
    Half precision keeps its own, which are a good part of all that it has.
    """
    if type(slot) is np.ndarray:
        slot *= part
        slot += news
        tiny = _TINY.get(slot.dtype)
        if tiny is not None:
            slot[np.abs(slot) < tiny] = 0.0
        return slot
    new: Any = part * slot + news
    tiny = _TINY.get(np.dtype(float) if type(new) is float else new.dtype)
    if tiny is None:
        return new
    if isinstance(slot, Standin):
        return np.where(np.abs(new) < tiny, 0.0, new).astype(new.dtype)
    return new if not abs(new) < tiny else type(new)(0.0)
