"""What lesson 16 must find."""

from __future__ import annotations

import math


def softplus_after(steps: int, least: float = 2.0) -> float:
    """How far 1 - softplus(z) is below 1 after descent on ½(w - least)² from z = 0, learning rate 0.1."""
    z = 0.0
    for _ in range(steps):
        z -= 0.1 * (least - 1 + math.log1p(math.exp(z))) / (1 + math.exp(-z))
    return math.log1p(math.exp(z))


FOUND = {
    "penalty-nine": (2 + 9) / (1 + 9),
    "penalty-rate": "wanders",
    "below-the-bound": softplus_after(1000),
    "clip-in-the-loss": 1.5,  # the gradient is 0 where it starts
    "leaves-the-edge": 1 + math.floor(math.log(0.5) / math.log(0.9)),
}
"""What each prompt of the lesson must find."""
PRINTED = ["penalty with λ = 9: 1.1000"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {
    "16-035": {round(softplus_after(1000, 3.0), 3)},
}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
