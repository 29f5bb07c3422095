"""What lesson 23 must find."""

from __future__ import annotations

import math


def adam(gradients: list[float]) -> list[float]:
    """All steps of Adam with learning rate 0.1."""
    m = v = 0.0
    steps = []
    for t, g in enumerate(gradients, start=1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        steps.append(-0.1 * (m / (1 - 0.9**t)) / (math.sqrt(v / (1 - 0.999**t)) + 1e-8))
    return steps


def lazy_row(at: int) -> float:
    """A row that gets the gradient 1 at step 1 and at one other step, with a t that counts all steps."""
    m, v = 0.9 * 0.1 + 0.1, 0.999 * 0.001 + 0.001
    return -0.1 - 0.1 * (m / (1 - 0.9**at)) / math.sqrt(v / (1 - 0.999**at))


FOUND = {
    "loss-times-1000": sum(adam([1000.0] * 3)),
    "alternating-signs": 0.1 * 0.1 / 1.9,  # the sum of 0.1 * (-0.9)**k
    "late-gradient": 0.1 * 0.1 / math.sqrt(0.001 / (1 - 0.999**1001)),
    "adamw-decay": (1 - 0.1 * 0.01) ** 100,
    "penalty-step": 1.0 + adam([0.01])[0],
    "lazy-row": lazy_row(51),
}
"""What each prompt of the lesson must find."""
PRINTED = ["0.2515", "-0.1952"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {
    "23-041": {abs(sum(adam([1e-9] * 2))), abs(lazy_row(2) + 0.1)},
}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
