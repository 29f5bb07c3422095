"""Fast ways for plain arrays: the memory of temporaries, which nobody else holds; compiled loops over all entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit import kernels

__all__ = ["entrywise_loop", "is_plain", "on_temporary"]

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
