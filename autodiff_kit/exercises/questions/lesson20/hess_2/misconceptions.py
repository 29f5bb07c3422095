"""Hutchinson estimates of trace, norm and standard error with one thing misunderstood."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def hutchinson_estimates(H: Array, V: Array, what: str = "") -> Array:
    """Trace, norm and standard error from the probes V, with one thing misunderstood."""
    moved = V @ H
    quadratics, squares = (V * moved).sum(axis=1), (moved * moved).sum(axis=1)
    norm = np.sqrt(squares.mean())
    if what == "mean-of-norms":
        norm = np.sqrt(squares).mean()
    if what == "norm-from-the-quadratic-form":
        norm = np.sqrt((quadratics**2).mean())
    if what == "no-root":
        norm = squares.mean()
    if what == "mean-over-all-entries":
        norm = np.sqrt((moved * moved).mean())
    trace = quadratics.mean()
    if what == "absolute-values":
        trace = np.abs(quadratics).mean()
    if what == "sum-not-mean":
        trace = quadratics.sum()
    error = quadratics.std(ddof=0 if what == "divides-by-n" else 1)
    divisors = {"spread-not-error": 1.0, "error-over-n": len(V), "error-over-the-variables": np.sqrt(len(H))}
    error /= divisors.get(what, np.sqrt(len(V)))
    return np.array([trace, norm, error])
