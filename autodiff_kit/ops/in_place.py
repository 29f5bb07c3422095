"""Functions of temporaries: arrays that nobody else holds, whose memory the result may take."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["is_plain", "on_temporary"]


def is_plain(*values: Any) -> bool:
    """Whether all values are arrays of one shape, with axes, and of one dtype, float32 or float64; no tracers."""
    if not all(type(x) is np.ndarray and x.dtype.char in "fd" and x.ndim for x in values):
        return False
    return len(values) == 1 or len({(x.shape, x.dtype) for x in values}) == 1


def on_temporary(function: np.ufunc, x: Any, *others: Any) -> Any:
    """``function(x, *others)`` in the memory of ``x``, which nobody else holds, where that is possible."""
    return function(x, *others, out=x) if is_plain(x) else function(x, *others)
