"""What lesson 06 must find."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def soft_floor(x: float, s: float) -> float:
    return float(sum(1 / (1 + np.exp(-s * (x - k))) for k in range(1, 6)))


def descend(x: float, slope: Callable[[float], float], steps: int, rate: float = 0.1) -> list[float]:
    """The positions of a search that subtracts ``rate`` times ``slope`` at each step."""
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


def first_at_three_backwards() -> int:
    """The first step after which floor(x) is 3, with s falling from 20 to 1."""
    x = 0.3
    for t in range(200):
        s = 20 ** ((199 - t) / 199)
        steps = [1 / (1 + math.exp(-s * (x - k))) for k in range(1, 6)]
        x -= 0.1 * 2 * (sum(steps) - 3) * sum(s * one * (1 - one) for one in steps)
        if math.floor(x) == 3:
            return t + 1
    raise AssertionError("never")


FOUND = {
    "soft-floor-at-two": soft_floor(2, 50),
    "area": soft_floor(2.5, 10) - soft_floor(1.5, 10),
    "which-reach-three": ["straight", "s4", "annealed"],
    "end-s4": 3.5001,
    "end-straight-through": descend(0.3, lambda x: 2 * (math.floor(x) - 3), 200)[-1],
    "anneal-backwards": first_at_three_backwards(),
}
"""What each prompt of the lesson must find."""
PRINTED = ["1.6666 1.5003 1.5000"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {
    "06-041": from_nine() | set(descend(5.7, lambda x: 2 * (math.floor(x) - 3), 7)),
}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
