"""A normalised value and its gradient with one path or another stopped."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


EPSILON = 1e-5


def normalised(x: Array) -> Array:
    """Each row minus its mean, over the root of its variance plus epsilon."""
    away = x - x.mean(-1, keepdims=True)
    return np.asarray(away / np.sqrt((away**2).mean(-1, keepdims=True) + EPSILON))


def other_normalisations(x: Array) -> dict[str, Array]:
    """Values with one thing misunderstood."""
    away = x - x.mean(-1, keepdims=True)
    variance = (away**2).mean(-1, keepdims=True)
    n = x.shape[-1]
    return {
        "normalises-over-all-rows": (x - x.mean()) / np.sqrt(x.var() + EPSILON),
        "forgets-epsilon": away / np.sqrt(variance),
        "divides-by-n-minus-1": away / np.sqrt(variance * n / (n - 1) + EPSILON),
        "epsilon-outside-the-root": away / (np.sqrt(variance) + EPSILON),
        "divides-by-the-variance": away / (variance + EPSILON),
    }


def normalised_vjp(x: Array, c: Array, mean: bool = True, variance: bool = True) -> Array:
    """What comes back to x for the cotangent c, where the paths through mean and variance are open or shut."""
    away = x - x.mean(-1, keepdims=True)
    rate = 1 / np.sqrt((away**2).mean(-1, keepdims=True) + EPSILON)
    found = c * rate
    if mean:
        found = found - (c * rate).mean(-1, keepdims=True)
    if variance:
        found = found - away * rate**3 * (c * away).mean(-1, keepdims=True)
    return np.asarray(found)
