"""What lesson 16 must find."""

from __future__ import annotations

import math


def softplus_after(steps: int) -> float:
    """How far 1 - softplus(z) is below 1 after descent on ½(w - 2)² from z = 0, rate .1."""
    z = 0.0
    for _ in range(steps):
        z -= 0.1 * (1 + math.log1p(math.exp(z))) / (1 + math.exp(-z))
    return math.log1p(math.exp(z))


FOUND = {
    "penalty-nine": (2 + 9) / (1 + 9),
    "penalty-rate": "wanders",
    "below-the-bound": softplus_after(1000),
    "leaves-the-edge": 1 + math.floor(math.log(0.5) / math.log(0.9)),
}
"""What each prompt of the lesson must find."""
PRINTED = ["projection: 1.0   penalty 1, 9, 99: 1.5 1.1 1.01"]
"""What its cells print, each within one line."""
