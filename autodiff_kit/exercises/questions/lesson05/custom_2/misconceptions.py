"""Gradient reversal applied to the value instead of the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def turned(x: Array, lam: float, cap: float) -> list[Array]:
    """The valve's work done on the value: clipped or not, turned or not."""
    kept = np.clip(x, -cap, cap)
    return [-lam * kept, -lam * x, lam * x, lam * kept, kept]
