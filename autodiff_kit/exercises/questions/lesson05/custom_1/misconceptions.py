"""log(1 + exp(x)) and its derivative, composed from operations that overflow."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)) without an overflow on either side."""
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1 / (1 + e), e / (1 + e))


def composed_log1pexp(x: Array) -> Array:
    """log(1 + exp(x)), as it is written."""
    with np.errstate(all="ignore"):
        return np.asarray(np.log(1 + np.exp(x)))


def composed_derivative(x: Array) -> Array:
    """exp(x) / (1 + exp(x)), as the chain rule writes it."""
    with np.errstate(all="ignore"):
        return np.asarray(np.exp(x) / (1 + np.exp(x)))
