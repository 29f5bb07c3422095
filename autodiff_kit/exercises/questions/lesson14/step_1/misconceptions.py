"""Steps of slots that average gradients, or leave out gradients of 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import solution

Array = np.ndarray[Any, Any]


KINDS = ("momentum", "nesterov", "rmsprop")


def averaged_steps(gradients: Array, kind: str, lr: float, b: float) -> tuple[Array, ...]:
    """Steps of a slot that averages gradients where it should add them."""
    added = solution.steps(gradients, kind, lr, b)
    if kind == "momentum":
        return ((1 - b) * added,)
    if kind == "nesterov":  # with the gradient itself as it is, or averaged as well
        slot = -solution.steps(gradients, "momentum", 1.0, b)
        return -lr * (gradients + b * (1 - b) * slot), (1 - b) * added
    return ()


def steps_without_zeros(gradients: Array, kind: str, lr: float, b: float) -> tuple[Array, ...]:
    """Steps of a slot that does not change where the gradient is 0: with a step of 0 there, or none."""
    made = solution.steps(gradients[gradients != 0], kind, lr, b)
    whole = np.zeros(len(gradients))
    whole[gradients != 0] = made
    return whole, made
