"""What lesson 06 must find."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def soft_floor(x: float, s: float) -> float:
    return float(sum(1 / (1 + np.exp(-s * (x - k))) for k in range(1, 6)))


def descend(x: float, slope: Callable[[float], float], steps: int, rate: float = 0.1) -> list[float]:
    """Where a search of (f(x) − 3)² has been, with ``slope`` for what it goes down by."""
    way = [x]
    for _ in range(steps):
        way.append(way[-1] - rate * slope(way[-1]))
    return way


def sharp(x: float) -> tuple[float, float]:
    """Lesson 06's soft floor at s = 15, and its slope."""
    steps = [1 / (1 + math.exp(-15 * (x - k))) for k in range(1, 6)]
    return sum(steps), sum(15 * one * (1 - one) for one in steps)


def from_nine() -> set[float]:
    way = descend(0.9, lambda x: 2 * (sharp(x)[0] - 3) * sharp(x)[1], 200)
    return {way[-1], way[1], sharp(0.9)[1]}


FOUND = {
    "soft-floor-at-two": soft_floor(2, 50),
    "which-reach-three": ["straight", "s4", "annealed"],
    "area": soft_floor(2.5, 10) - soft_floor(1.5, 10),
    "end-s4": 3.5001,
    "end-straight-through": 3.1,
    "anneal-backwards": (3.5666, 2.985),
}
"""What each prompt of the lesson must find."""
PRINTED = ["1.6666 1.5003 1.5000"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {
    "l06-055": from_nine() | set(descend(5.7, lambda x: 2 * (math.floor(x) - 3), 7)),
}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
