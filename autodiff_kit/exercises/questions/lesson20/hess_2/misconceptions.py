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
    error = quadratics.std(ddof=0 if what == "divides-by-n" else 1)
    error /= 1.0 if what == "spread-not-error" else np.sqrt(len(V))
    return np.array([quadratics.mean(), norm, error])
