"""Gradients with respect to padded scores with one thing misunderstood."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import softmax
from . import solution

Array = np.ndarray[Any, Any]


def slope_without_mask(scores: Array, keep: Array, values: Array) -> Array:
    """The gradient at the padded scores if the padding were kept."""
    p = softmax(scores)
    return np.asarray(~keep * p * (values - p @ values))


def slope_of_own_value(scores: Array, keep: Array, values: Array) -> Array:
    """The gradient of each padded weight times its own value."""
    p = softmax(scores)
    return np.asarray(~keep * p * (1 - p) * values)


def divided_by_kept_sum(scores: Array, keep: Array, values: Array) -> Array:
    """The right gradient, divided by the sum of the kept weights."""
    p = softmax(scores)
    return np.asarray(solution.leak(scores, keep, values) / (p * keep).sum())


def slope_of_a_kept_position(scores: Array, keep: Array, values: Array) -> Array:
    """The formula of the kept positions, p·(v − y), at the padded ones."""
    p = softmax(scores)
    return np.asarray(~keep * p * (values - (p * keep) @ values))


def output_over_all(scores: Array, keep: Array, values: Array) -> Array:
    """The right formula with the output of a layer without a mask."""
    p = softmax(scores)
    return np.asarray(~keep * -p * (p @ values))
