"""Ranges without zero to draw, and a nudged range with one end left as it was."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import QuantisationRange
from . import solution

Array = np.ndarray[Any, Any]


def range_without_zero(rng: np.random.Generator, bits: int, sign: int) -> QuantisationRange:
    """A range that 0 is not in: with two bits, too, it lies at least one level outside."""
    near = float(rng.uniform(0.8, 1.2))
    far = near + float(rng.uniform(1, 2))
    return (near, far, bits) if sign > 0 else (-far, -near, bits)


def nudged_with_place(lo: float, hi: float, bits: int, rounded: Any) -> Array:
    """The range with the place of 0 always rounded up, or always down."""
    steps = 2**bits - 1
    scale = (hi - lo) / steps
    place = np.clip(rounded(-lo / scale), 0, steps)
    return np.array([scale, -place * scale, (steps - place) * scale])


def nudged_without_limits(lo: float, hi: float, bits: int) -> Array:
    """The range with the place of 0 rounded, also where that is no level of the range."""
    steps = 2**bits - 1
    scale = (hi - lo) / steps
    place = np.floor(-lo / scale + 0.5)
    return np.array([scale, -place * scale, (steps - place) * scale])


def nudged_at_one_end(lo: float, hi: float, bits: int, got: Array) -> Array:
    """The right answer with one end left as it was: the one that the answer left."""
    scale, first, last = solution.nudged(lo, hi, bits)
    left_low = got.shape == (3,) and abs(got[1] - lo) < abs(got[1] - first)
    return np.array([scale, lo, last] if left_low else [scale, first, hi])
