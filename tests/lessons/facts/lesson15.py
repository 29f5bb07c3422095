"""What lesson 15 must find."""

from __future__ import annotations

import math

ONE = [1.0] + [0.0] * 99


def adam(gradients: list[float | None], beta1: float = 0.9) -> float:
    w = m = v = 0.0
    t = 0
    for g in gradients:
        if g is None:
            continue
        t += 1
        m, v = beta1 * m + (1 - beta1) * g, 0.999 * v + 0.001 * g * g
        w -= 0.1 * (m / (1 - beta1**t)) / (math.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w


def adam_moment(beta1: float = 0.9) -> float:
    """m after a first gradient of 1."""
    return (1 - beta1) * 1.0


def ghost(share: float = 0.99) -> tuple[int, int]:
    """Zeros until Adam, and SGD with momentum, have made that share of their ghost motion."""
    t = range(2, 101)
    adam = [0.1 * 0.9 ** (k - 1) / (1 - 0.9**k) * math.sqrt((1 - 0.999**k) / (0.001 * 0.999 ** (k - 1))) for k in t]
    counts = []
    for steps in (adam, [0.9**k for k in range(1, 100)]):
        done = [sum(steps[: n + 1]) / sum(steps) for n in range(len(steps))]
        counts.append(1 + next(n for n, part in enumerate(done) if part > share))
    return counts[0], counts[1]


FOUND = {
    "adam-hundred": adam(ONE),
    # SGD and RMSProp have the gradient as a factor; momentum adds 0.9 + 0.9² + … of the first step.
    "who-drifts": (0.0, -0.1 * (0.9 - 0.9**100) / 0.1, 0.0, adam(ONE) - adam(ONE[:1])),
    "none-then-zero": adam([1.0] + [None] * 50 + [0.0]),
    "freeze-by-zeros": adam([1.0] * 50 + [0.0] * 50) - adam([1.0] * 50),
    "stop-for-good": -0.9 * adam_moment() / 0.1,
}
"""What each prompt of the lesson must find."""
PRINTED = ["-0.6005", "-0.9761"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {
    "15-034": {*ghost()},
}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
