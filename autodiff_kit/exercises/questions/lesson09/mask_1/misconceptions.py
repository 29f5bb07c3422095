"""Masked softmax with a mask or a sum over the wrong axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.exercises.compare import values_close

from ..shared import softmax

Array = np.ndarray[Any, Any]


def softmax_over_first_axis(scores: Array) -> Array:
    """Softmax over the wrong axis."""
    return np.moveaxis(softmax(np.moveaxis(scores, 0, -1)), -1, 0)


def finite_number_for_minus_inf(
    scores: Array, keep: Array, got: object, tol: float
) -> tuple[Array | None, float | None]:
    """The weights if padded scores are lowered by, or set to, a number that is not −inf; None if no number fits.

    The number is None if several of them fit: beside a score of 10¹² all give the same weights.
    """
    found: Array | None = None
    fitting = set()
    for c in (-5.0, -10.0, -20.0, -50.0, -100.0, -1e3, -1e4, -1e5, -1e6, -1e9, -1e10):
        for lowered in (scores + c, np.full_like(scores, c)):
            weights = softmax(np.where(keep, scores, lowered))
            if values_close(got, weights, tol):
                found = weights
                fitting.add(c)
    return found, fitting.pop() if len(fitting) == 1 else None
