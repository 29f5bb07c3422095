"""Momentum steps that average gradients instead of adding them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import solution

Array = np.ndarray[Any, Any]


KINDS = ("momentum", "nesterov", "rmsprop")


def averaged_momentum_steps(gradients: Array, lr: float, b: float) -> Array:
    """Steps of a slot that averages gradients where it should add them."""
    return np.asarray((1 - b) * solution.steps(gradients, "momentum", lr, b))
