"""Derivatives of a chosen branch whose other branch is not finite, right and as each misconception computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


# For each function: itself, its slope, and what gives its input back.
CHOSEN: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "log": (np.log, lambda x: 1 / x, np.exp),
    "sqrt": (np.sqrt, lambda x: 0.5 / np.sqrt(x), np.square),
    "reciprocal": (lambda x: 1 / x, lambda x: -1 / (x * x), lambda y: 1 / y),
}


def chosen_branch(name: str, x: Array) -> Array:
    """f(x) where x > 0, else 0."""
    return np.where(x > 0, CHOSEN[name][0](np.where(x > 0, x, 1)), 0)


def derivative_as_written(name: str, x: Array) -> Array:
    """The derivative of f from its formula, infinities and nan included."""
    with np.errstate(all="ignore"):
        return np.asarray(CHOSEN[name][1](x))


def branch_times_mask(name: str, x: Array) -> Array:
    """The branch multiplied by the condition instead of chosen by it."""
    with np.errstate(all="ignore"):
        return np.asarray(CHOSEN[name][0](x) * (x > 0))


def closest_shift(name: str, x: Array, got: Array, at: int) -> Array:
    """f of x + e, or of x kept above e, with the e that explains the entry ``at``."""
    f, _, back = CHOSEN[name]
    with np.errstate(all="ignore"):
        seen = back(got[at])
        raised = np.where(x > 0, f(np.maximum(x, seen)), 0)
        added = np.where(x > 0, f(np.where(x > 0, x + (seen - x[at]), 1)), 0)
    return np.asarray(raised if np.abs(raised - got).max() < np.abs(added - got).max() else added)
