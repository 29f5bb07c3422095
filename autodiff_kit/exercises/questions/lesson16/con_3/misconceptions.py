"""Wrong projections onto the simplex."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def shifted_to_sum_one(v: Array) -> Array:
    """One shift for all, so that the sum is 1."""
    return np.asarray(v - (v.sum() - 1) / len(v))


def softmax(v: Array) -> Array:
    """Softmax."""
    raised = np.exp(v - v.max())
    return np.asarray(raised / raised.sum())


def clipped_and_rescaled(v: Array) -> Array | None:
    """Clipped, and divided by the sum; None where nothing is left to divide."""
    kept = np.maximum(v, 0.0)
    return np.asarray(kept / kept.sum()) if kept.sum() > 0 else None


def distance(v: Array, w: Array) -> float:
    """How far a point was moved."""
    return float(np.linalg.norm(v - w))
