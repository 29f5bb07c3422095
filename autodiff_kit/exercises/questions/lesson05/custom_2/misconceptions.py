"""Gradient reversal applied to the value instead of the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def rule_applied_to_value(x: Array, lam: float, cap: float) -> list[Array]:
    """The gradient's scaling and clipping applied to the value: clipped or not, reversed or not."""
    kept = np.clip(x, -cap, cap)
    return [-lam * kept, -lam * x, lam * x, lam * kept, kept]
