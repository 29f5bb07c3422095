"""Lesson 05: rules for the way back that are got wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["OPS", "RULES", "composed", "composed_slope", "sigmoid", "tailless", "turned"]

Array = np.ndarray[Any, Any]

# Operations without a slope, and rules that they can be given: the function of that name, and its slope.
OPS: dict[str, Callable[[Array], Array]] = {"Floor": np.floor, "Ceil": np.ceil, "Round": np.round, "Sign": np.sign}
RULES: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "Identity": (np.asarray, np.ones_like),
    "Sin": (np.sin, np.cos),
    "Square": (np.square, lambda x: 2 * x),
    "Negative": (np.negative, lambda x: -np.ones_like(x)),
}


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)) without an overflow on either side."""
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1 / (1 + e), e / (1 + e))


def composed(x: Array) -> Array:
    """log(1 + exp(x)), as it is written."""
    with np.errstate(all="ignore"):
        return np.asarray(np.log(1 + np.exp(x)))


def composed_slope(x: Array) -> Array:
    """exp(x) / (1 + exp(x)), as the chain rule writes it."""
    with np.errstate(all="ignore"):
        return np.asarray(np.exp(x) / (1 + np.exp(x)))


def tailless(x: Array) -> Array:
    """Stable, but with a log where log1p is due."""
    return np.asarray(np.maximum(x, 0) + np.log(1 + np.exp(-np.abs(x))))


def turned(x: Array, lam: float, cap: float) -> list[Array]:
    """The valve's work done on the value: clipped or not, turned or not."""
    kept = np.clip(x, -cap, cap)
    return [-lam * kept, -lam * x, lam * x, lam * kept, kept]
