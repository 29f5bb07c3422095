"""Derivatives of a chosen branch whose other branch is not finite, right and as each misconception computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.exercises.compare import values_close

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


def value_as_written(name: str, x: Array) -> Array:
    """f(x) from its formula, infinities and nan included."""
    with np.errstate(all="ignore"):
        return np.asarray(CHOSEN[name][0](x))


def derivative_as_written(name: str, x: Array) -> Array:
    """The derivative of f from its formula, infinities and nan included."""
    with np.errstate(all="ignore"):
        return np.asarray(CHOSEN[name][1](x))


def branch_times_mask(name: str, x: Array) -> Array:
    """The branch multiplied by the condition instead of chosen by it."""
    with np.errstate(all="ignore"):
        return np.asarray(CHOSEN[name][0](x) * (x > 0))


def only_the_input(name: str, x: Array, got: Array) -> Array | None:
    """f of the chosen input, without a choice of the result; None if no usual input gives the learner's value."""
    with np.errstate(all="ignore"):
        ways = [np.asarray(CHOSEN[name][0](np.where(x > 0, x, other))) for other in (1.0, 0.0)]
    right = chosen_branch(name, x)
    return next((way for way in ways if values_close(got, way, 1e-5) and not values_close(way, right, 1e-5)), None)


def at_zero_too(branch: Array, x: Array, u: Array | float = 1.0) -> Array:
    """The branch (or its slope) times u where x >= 0, else 0."""
    with np.errstate(all="ignore"):
        return np.where(x >= 0, branch * u, 0.0)


def smallest_positive(x: Array) -> int:
    """Index of the smallest entry above 0."""
    return int(np.where(x > 0, x, np.inf).argmin())


def too_small_at_the_smallest(x: Array, got: Array, want: Array, tol: float) -> Array | None:
    """The learner's gradient if it is right but for the smallest positive entry, where a limit made the slope small."""
    at = smallest_positive(x)
    if got.shape != x.shape or not abs(got[at]) < abs(want[at]):
        return None
    return got if values_close(np.delete(got, at), np.delete(want, at), tol) else None


def closest_shift(name: str, x: Array, got: Array) -> Array:
    """f of x + e, or of x kept above e, with the e that explains the smallest positive entry."""
    at = smallest_positive(x)
    f, _, back = CHOSEN[name]
    with np.errstate(all="ignore"):
        seen = back(got[at])
        raised = np.where(x > 0, f(np.maximum(x, seen)), 0)
        added = np.where(x > 0, f(np.where(x > 0, x + (seen - x[at]), 1)), 0)
    return np.asarray(raised if np.abs(raised - got).max() < np.abs(added - got).max() else added)
