"""A relaxed floor (a sum of sigmoids) and its derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from .floor_1 import solution as floor_1_solution

Array = np.ndarray[Any, Any]


def sigmoid(z: Array) -> Array:
    """The sigmoid, safe on both sides."""
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def soft_floor(x: Array, s: float, K: int = 5) -> Array:
    """A staircase of K sigmoids."""
    found: Array = floor_1_solution.soft_floor(x, s, K)
    return found


def slope(x: Array, s: float, K: int = 5) -> Array:
    """The slope of :func:`soft_floor`."""
    total: Array = np.zeros_like(x)
    for k in range(1, K + 1):
        total = total + s * sigmoid(s * (x - k)) * sigmoid(-s * (x - k))
    return total
