"""Sums and counts of rows by segment."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def segment_counts(ids: Array, c: int) -> Array:
    """Rows of each of c segments."""
    return np.bincount(ids, minlength=c)


def segment_sums(h: Array, ids: Array, c: int) -> Array:
    """Sum of the rows of each segment."""
    out = np.zeros((c, *h.shape[1:]))
    np.add.at(out, ids, h)
    return out
