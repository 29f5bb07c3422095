"""Fast ways for plain arrays: the memory of temporaries, which nobody else holds; compiled loops over all entries."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.errors import RangeError

__all__ = ["add_rows_at", "entrywise_loop", "is_plain", "loop_over_axes", "on_temporary"]

LEAST_ENTRIES = 256
"""For fewer entries a loop gains little, and NumPy's functions give their own last digit, which people print."""


def is_plain(*values: Any) -> bool:
    """Whether all values are arrays of one shape, with axes, and of one dtype, float32 or float64; no tracers."""
    first = values[0]
    for x in values:
        if type(x) is not np.ndarray or x.shape != first.shape or x.dtype != first.dtype:
            return False
    return first.ndim > 0 and first.dtype.char in "fd"


def on_temporary(function: np.ufunc, x: Any, *others: Any) -> Any:
    """``function(x, *others)`` in the memory of ``x``, which nobody else holds, where that is possible."""
    return function(x, *others, out=x) if is_plain(x) else function(x, *others)


def entrywise_loop(name: str, *arrays: Any) -> Any:
    """What the compiled loop of this name over all entries of some arrays gives.

    None where it does not fit them, or where the loop declines by returning False.
    """
    x = arrays[0]
    if type(x) is not np.ndarray or x.size < LEAST_ENTRIES or x.dtype.char not in "fd":
        return None
    for a in arrays:
        if type(a) is not np.ndarray or a.shape != x.shape or a.dtype != x.dtype or not a.flags.c_contiguous:
            return None
    if (loop := kernels.compiled_loop(name)) is None:
        return None
    out = np.empty(x.shape, x.dtype)
    return None if loop(*[a.ravel() for a in arrays], out.ravel()) is False else out  # ravel is the fastest view


def loop_over_axes(
    name: str, axis: tuple[int, ...], *arrays: Any, reduced: tuple[Any, ...] = (), numbers: tuple[Any, ...] = (),
    reduces: bool = False,
) -> Any:  # fmt: skip
    """What a compiled loop over one or more axes beside each other gives: ``name_rows`` over the last ones, or
    ``name_columns``. None where it does not fit.

    ``arrays`` and the result have all axes; ``reduced``, a cotangent and then a value, are without those that are
    looped over, and so is the result with ``reduces``.
    """
    x = arrays[0]
    if type(x) is not np.ndarray or x.size < LEAST_ENTRIES or x.dtype.char not in "fd" or not axis:
        return None
    kind, full, short, rest = _shapes_for_loop(axis, x.shape)
    for several, last in ((arrays, x), (reduced, reduced[-1] if reduced else x)):
        for a in several:
            if type(a) is not np.ndarray or a.dtype is not x.dtype or a.shape != np.shape(last):
                return None  # also a cotangent with a leading axis
    if (loop := kernels.compiled_loop(name + kind)) is None:
        return None
    given = [(a if a.flags.c_contiguous else np.ascontiguousarray(a)).reshape(full) for a in arrays]
    given += [(a if a.flags.c_contiguous else np.ascontiguousarray(a)).reshape(short) for a in reduced]
    out = np.empty(rest if reduces else x.shape, x.dtype)
    loop(*given, *map(x.dtype.type, numbers), out.reshape(short if reduces else full))
    return out


def add_rows_at(out: np.ndarray[Any, Any], places: Any, rows: np.ndarray[Any, Any]) -> None:
    """Add each row to the row of ``out`` at its place, in order; raises if there is no such row.

    Indices are checked before, but not in a compiled function whose forward part nobody needs, and not for the examples
    with which it is traced.
    """
    if places.dtype == np.uint64:
        places = np.minimum(places, len(out))  # what is larger than an int64 would count from the end
    places = places.astype(np.int64, copy=False)
    whole = out.dtype.char in "fd" and rows.size
    loop = kernels.compiled_loop("scatter_add_rows") if whole else None
    if loop is None:
        width = rows.shape[1]  # np.add.at is fast along one axis only
        flat = places if width == 1 else (places[:, None] * width + np.arange(width)).reshape(-1)
        try:
            np.add.at(out.reshape(-1), flat, rows.reshape(-1))
            return
        except IndexError:
            pass
    elif loop(out, places, np.ascontiguousarray(rows)):
        return
    wrong = places[(places < -len(out)) | (places >= len(out))][0]
    raise RangeError(f"index {wrong} is out of range for {len(out)} rows: they go from {-len(out)} to {len(out) - 1}")


@functools.lru_cache(maxsize=256)
def _shapes_for_loop(axis: tuple[int, ...], shape: tuple[int, ...]) -> tuple[str, Any, Any, Any]:
    """The end of a loop's name, the shapes in which it takes arrays and reduced ones, and the shape without the axes.

    The name is that of no loop where the axes do not lie beside each other.
    """
    before, after = shape[: axis[0]], shape[len(shape) + axis[-1] + 1 :]
    first, count = math.prod(before), math.prod(shape[len(before) : len(shape) - len(after)])
    last = (math.prod(after),) if after else ()
    kind = "_columns" if after else "_rows"
    beside = axis[-1] - axis[0] == len(axis) - 1
    return kind if beside else " of axes apart", (first, count, *last), (first, *last), before + after
