"""Masked softmax with a mask or a sum over the wrong axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import softmax

Array = np.ndarray[Any, Any]


def softmax_over_first_axis(scores: Array) -> Array:
    """Softmax over the wrong axis."""
    return np.moveaxis(softmax(np.moveaxis(scores, 0, -1)), -1, 0)
