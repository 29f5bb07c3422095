"""The nearest of some candidate values."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def nearer(got: Array, *values: float) -> float:
    """That of some values which is nearest to what came."""
    return min(values, key=lambda value: float(np.abs(got - value).sum()))
