"""Fake quantisation and its gradients with one thing misunderstood."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..quant_1 import solution as quant_1_solution

Array = np.ndarray[Any, Any]


def value_between_ranges(lo: float, hi: float, bits: int) -> float:
    """A number in the raw range that is outside the nudged one."""
    _, first, last = quant_1_solution.nudged(lo, hi, bits)
    return float(lo + first if first > lo else hi + last) / 2


def level_numbers(got: object, want: Array, scale: float) -> Array:
    """The numbers of the levels, counted from 0 or from the lowest, whichever came."""
    numbers = np.round(want / scale)
    from_lowest = numbers - numbers.min()
    same = isinstance(got, np.ndarray) and got.shape == want.shape and np.allclose(got, from_lowest)
    return from_lowest if same else numbers


def vjp_by_rounded(x: Array, lo: float, hi: float, bits: int, g: Array) -> Array:
    """Gradient of x if every entry passes that rounds to a level of the range."""
    scale, first, last = quant_1_solution.nudged(lo, hi, bits)
    return np.where((x >= first - scale / 2) & (x <= last + scale / 2), g, 0.0)


def vjp_without_cotangent(got: Array, want: Array) -> Array:
    """Ones in place of the cotangent: everywhere, or inside the range, whichever came."""
    everywhere = np.ones_like(want)
    return everywhere if got.shape == want.shape and np.array_equal(got, everywhere) else (want != 0) * 1.0


def vjp_by_raw_range(x: Array, lo: float, hi: float, g: Array) -> Array:
    """Gradient of x if the raw range decides which entries pass."""
    return np.where((x >= lo) & (x <= hi), g, 0.0)
