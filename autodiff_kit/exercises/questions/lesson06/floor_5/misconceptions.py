"""Gradient descent on a relaxed floor with a given schedule of steepness."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import slope, soft_floor

Array = np.ndarray[Any, Any]


def gradient_descent(x: Array, target: float, schedule: list[float], lr: float = 0.1) -> Array:
    """The positions before each step of a descent on (soft_floor - target)², and at its end."""
    path = [x]
    for s in schedule:
        x = x - lr * 2 * (soft_floor(x, s) - target) * slope(x, s)
        path.append(x)
    return np.array(path)
