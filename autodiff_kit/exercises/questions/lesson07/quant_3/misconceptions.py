"""Data to draw whose own range has to be nudged."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..quant_1 import solution as quant_1_solution
from ..shared import random_range

Array = np.ndarray[Any, Any]

CLOSE = 0.05  # of the part that is left outside, or of the distance of two levels


def shared_out(x: Array, dx: Array, dmin: float, dmax: float) -> Array:
    """The gradient with given parts for the smallest and the largest entries."""
    low, high = x == x.min(), x == x.max()
    return np.asarray(dx + dmin * low / low.sum() + dmax * high / high.sum())


def overwritten(x: Array, dx: Array, dmin: float, dmax: float) -> Array:
    """The gradient where the parts of min and max replace what the entries had."""
    return np.where((x == x.min()) | (x == x.max()), shared_out(x, np.zeros_like(dx), dmin, dmax), dx)


def data_with_nudged_range(rng: np.random.Generator, bits: int, up: object = True) -> Array:
    """Nine numbers whose own range moves; four of them, the extreme twice, are left outside.

    One of these and one that stays inside are close to the new end, so that a range of another end shows.
    """
    lo, hi, bits = random_range(rng, bits, up)
    scale, first, last = quant_1_solution.nudged(lo, hi, bits)
    end, edge, other = (lo, first, hi) if first > lo else (hi, last, lo)
    out = [end, end, (end + edge) / 2, edge + CLOSE * (end - edge)]
    inside = np.r_[rng.uniform(first, last, size=3) * 0.8, edge - CLOSE * np.sign(edge) * scale]
    return rng.permutation(np.r_[out, other, inside])
