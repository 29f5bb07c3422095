"""Fast ways for plain arrays: the memory of temporaries, which nobody else holds; compiled loops over all entries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit import kernels

__all__ = ["entrywise_loop", "is_plain", "loop_over_axes", "on_temporary"]

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
    return None if loop(*[a.reshape(-1) for a in arrays], out.reshape(-1)) is False else out


def loop_over_axes(
    name: str, axis: tuple[int, ...], *arrays: Any, reduced: tuple[Any, ...] = (), numbers: tuple[Any, ...] = (),
    reduces: bool = False,
) -> Any:  # fmt: skip
    """What a compiled loop over one or more axes beside each other gives: ``name_rows`` over the last ones, or
    ``name_columns``. None where it does not fit.

    ``arrays`` and the result have all axes; ``reduced`` are without those that are looped over, and so is the result
    with ``reduces``.
    """
    x = arrays[0]
    if not is_plain(*arrays) or x.size < LEAST_ENTRIES or not axis or axis[-1] - axis[0] != len(axis) - 1:
        return None
    if reduced and not (is_plain(*reduced) and reduced[0].dtype == x.dtype):
        return None
    rows = axis[-1] == -1
    if (loop := kernels.compiled_loop(f"{name}_{'rows' if rows else 'columns'}")) is None:
        return None
    before, after = x.shape[: axis[0]], () if rows else x.shape[axis[-1] + 1 :]
    first, last = math.prod(before), () if rows else (math.prod(after),)
    count = x.size // math.prod((first, *last))
    out = np.empty(before + after if reduces else x.shape, x.dtype)
    given = [np.ascontiguousarray(a).reshape(first, count, *last) for a in arrays]
    given += [np.ascontiguousarray(a).reshape(first, *last) for a in reduced]
    loop(*given, *map(x.dtype.type, numbers), out.reshape((first, *last) if reduces else (first, count, *last)))
    return out
