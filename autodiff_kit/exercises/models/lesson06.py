"""Lesson 06: staircases, right ones and others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..question import worked

Array = np.ndarray[Any, Any]


def sigmoid(z: Array) -> Array:
    """The sigmoid, safe on both sides."""
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def soft_floor(x: Array, s: float, K: int = 5) -> Array:
    """A staircase of K sigmoids."""
    found: Array = worked("floor-1").soft_floor(x, s, K)
    return found


def slope(x: Array, s: float, K: int = 5) -> Array:
    """The slope of :func:`soft_floor`."""
    total: Array = np.zeros_like(x)
    for k in range(1, K + 1):
        total = total + s * sigmoid(s * (x - k)) * sigmoid(-s * (x - k))
    return total


def area_by_grid(s: float, a: float, b: float, K: int) -> float:
    """The trapezoidal rule on a thousand steps."""
    grid = np.linspace(a, b, 1001)
    return float(np.trapezoid(slope(grid, s, K), grid))


def descend(x: Array, target: float, schedule: list[float], lr: float = 0.1) -> Array:
    """Where the balls are before each step of a descent on (soft_floor - target)², and at its end."""
    path = [x]
    for s in schedule:
        x = x - lr * 2 * (soft_floor(x, s) - target) * slope(x, s)
        path.append(x)
    return np.array(path)
