"""Softmax over the last axis, and masks to draw."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def softmax(scores: Array) -> Array:
    """Softmax over the last axis."""
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights: Array = e / e.sum(-1, keepdims=True)
    return weights


def random_masks(rng: np.random.Generator, shape: tuple[int, ...], *, empty: bool = False) -> Array:
    """Masks with something kept and something padded in every row; the first may be ``empty``."""
    keep = rng.random(shape) < 0.6
    for row in keep.reshape(-1, shape[-1]):
        row[rng.integers(shape[-1])] = True
        if row.all():
            row[rng.integers(shape[-1])] = False
    if empty:
        keep.reshape(-1, shape[-1])[0] = False
    return keep
