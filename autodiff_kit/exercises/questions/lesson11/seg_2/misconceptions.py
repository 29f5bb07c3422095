"""Segment softmax shifted by any level."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def segment_softmax(s: Array, ids: Array, c: int, level: Array | float | None = None) -> Array:
    """The softmax of each segment; ``level`` is what is taken from its scores, by default its own maximum."""
    if level is None:
        most = np.full(c, -np.inf)
        np.maximum.at(most, ids, s)
        level = most[ids]
    with np.errstate(all="ignore"):
        e = np.exp(s - level)
        return np.asarray(e / np.bincount(ids, e, c)[ids])
