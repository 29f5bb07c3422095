"""Segment softmax shifted by any level."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def own_maximum(s: Array, ids: Array, c: int) -> Array:
    """For each score, the maximum of its segment."""
    most = np.full(c, -np.inf)
    np.maximum.at(most, ids, s)
    return np.asarray(most[ids])


def segment_softmax(s: Array, ids: Array, c: int, level: Array | float | None = None) -> Array:
    """The softmax of each segment; ``level`` is what is taken from its scores, by default its own maximum."""
    if level is None:
        level = own_maximum(s, ids, c)
    with np.errstate(all="ignore"):
        e = np.exp(s - level)
        return np.asarray(e / np.bincount(ids, e, c)[ids])
