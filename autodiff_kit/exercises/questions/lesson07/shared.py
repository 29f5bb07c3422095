"""Ranges to draw that have to be nudged, and quantisation that ignores where zero lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from .quant_1 import solution as quant_1_solution

Array = np.ndarray[Any, Any]


QuantisationRange = tuple[float, float, int]


MIN_NUDGE, MAX_NUDGE = 0.12, 0.4  # how far the place of 0 may be from an integer: neither there nor near a half


def random_range(rng: np.random.Generator, bits: int, up: object) -> QuantisationRange:
    """A range around 0 that must move, up or down: 0 would fall between two levels, clearly nearer to one of them.

    With an even number of bits 0 lies in the upper half, where a wrong number of levels shows.
    """
    below, above = ((1.4, 2), (0.5, 1.2)) if bits % 2 == 0 else ((0.5, 2), (0.5, 2))
    while True:
        lo, hi = -float(rng.uniform(*below)), float(rng.uniform(*above))
        scale, first, _ = quant_1_solution.nudged(lo, hi, bits)
        if MIN_NUDGE < (first - lo if up else lo - first) / scale < MAX_NUDGE:
            return lo, hi, bits


def quantised_from_raw_end(x: Array, lo: float, hi: float, bits: int) -> Array:
    """Levels counted from the raw end, as if 0 were one of them."""
    scale = (hi - lo) / (2**bits - 1)
    return np.asarray(np.floor((np.clip(x, lo, hi) - lo) / scale + 0.5) * scale + lo)
