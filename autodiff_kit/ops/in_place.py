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
    if not all(type(x) is np.ndarray and x.dtype.char in "fd" and x.ndim for x in values):
        return False
    return len(values) == 1 or len({(x.shape, x.dtype) for x in values}) == 1


def on_temporary(function: np.ufunc, x: Any, *others: Any) -> Any:
    """``function(x, *others)`` in the memory of ``x``, which nobody else holds, where that is possible."""
    return function(x, *others, out=x) if is_plain(x) else function(x, *others)


def entrywise_loop(name: str, *arrays: Any) -> Any:
    """What the compiled loop of this name over all entries of some arrays gives; None where it does not fit them."""
    x = arrays[0]
    if type(x) is not np.ndarray or x.size < LEAST_ENTRIES or not is_plain(*arrays):
        return None
    if not all(a.flags.c_contiguous for a in arrays) or (loop := kernels.compiled_loop(name)) is None:
        return None
    out = np.empty(x.shape, x.dtype)
    loop(*[a.reshape(-1) for a in arrays], out.reshape(-1))
    return out
