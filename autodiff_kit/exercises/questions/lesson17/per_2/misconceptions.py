"""Clipped means of per-example gradients, as each misconception clips them."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def row_norms(G: Array) -> Array:
    """The length of each row, as a column."""
    return np.asarray(np.linalg.norm(G, axis=1, keepdims=True))


def clipped_mean(G: Array, C: float) -> Array:
    """Shorten each row that is longer than C to C, then average."""
    return shortened(G, C, row_norms(G))


def shortened(G: Array, C: float, n: Array) -> Array:
    """Shorten each row for which n is more than C, by the factor C / n, then average."""
    return np.asarray((G * (C / np.maximum(n, C))).mean(axis=0))


def shortened_by_squares(G: Array, C: float) -> Array:
    """Give the length C to each row whose squared length is more than C, then average."""
    n = row_norms(G)
    return np.asarray((G * np.where(n**2 > C, C / np.maximum(n, 1e-300), 1.0)).mean(axis=0))


def mean_then_clipped(G: Array, C: float) -> Array:
    """Average, then shorten what is longer than C."""
    mean = G.mean(axis=0)
    return np.asarray(mean * min(1.0, C / float(np.linalg.norm(mean))))


def mean_of_rescaled(G: Array, C: float) -> Array:
    """Give every row that is not zero the length C, then average."""
    n = row_norms(G)
    return np.asarray((G * np.divide(C, n, out=np.zeros_like(n), where=n > 0)).mean(axis=0))
