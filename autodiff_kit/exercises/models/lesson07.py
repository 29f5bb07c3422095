"""Lesson 07: fake quantisers with one thing misunderstood."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..question import worked

__all__ = ["Array", "between", "one_end", "one_sided", "quantised", "raw_pull", "seen_range", "spread"]

Array = np.ndarray[Any, Any]
Range = tuple[float, float, int]
NEAR, FAR = 0.12, 0.4  # how far the place of 0 may be from a whole number: neither there nor near a half


def spread(rng: np.random.Generator, bits: int, up: object) -> Range:
    """A range around 0 that must move, up or down: 0 would fall between two levels, clearly nearer to one of them."""
    while True:
        lo, hi = -float(rng.uniform(0.5, 2)), float(rng.uniform(0.5, 2))
        scale, first, _ = worked("quant-1").nudged(lo, hi, bits)
        if NEAR < (first - lo if up else lo - first) / scale < FAR:
            return lo, hi, bits


def one_sided(rng: np.random.Generator, bits: int, sign: int) -> Range:
    """A range that 0 is not in."""
    near, far = float(rng.uniform(0.3, 1)), float(rng.uniform(2, 4))
    return (near, far, bits) if sign > 0 else (-far, -near, bits)


def one_end(lo: float, hi: float, bits: int, got: Array) -> Array:
    """The right answer with one end left as it was: the one that the answer left."""
    scale, first, last = worked("quant-1").nudged(lo, hi, bits)
    left_low = got.shape == (3,) and abs(got[1] - lo) < abs(got[1] - first)
    return np.array([scale, lo, last] if left_low else [scale, first, hi])


def quantised(x: Array, lo: float, hi: float, bits: int) -> Array:
    """Levels counted from the raw end, as if 0 were one of them."""
    scale = (hi - lo) / (2**bits - 1)
    return np.asarray(np.floor((np.clip(x, lo, hi) - lo) / scale + 0.5) * scale + lo)


def between(lo: float, hi: float, bits: int) -> float:
    """A number in the raw range that is outside the nudged one."""
    _, first, last = worked("quant-1").nudged(lo, hi, bits)
    return float(lo + first if first > lo else hi + last) / 2


def raw_pull(x: Array, lo: float, hi: float, g: Array) -> Array:
    """What comes into x if the raw range decides."""
    return np.where((x >= lo) & (x <= hi), g, 0.0)


def seen_range(rng: np.random.Generator, bits: int, up: object = True) -> Array:
    """Nine numbers whose own range moves; four of them, the extreme twice, are left outside."""
    lo, hi, bits = spread(rng, bits, up)
    _, first, last = worked("quant-1").nudged(lo, hi, bits)
    end, edge, other = (lo, first, hi) if first > lo else (hi, last, lo)
    out = [end, end, (end + edge) / 2, (2 * end + edge) / 3]
    inside = rng.uniform(first, last, size=4) * 0.8
    return rng.permutation(np.r_[out, other, inside])
