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


def nesterov(steps: int = 100) -> float:
    """The way of SGD with Nesterov's momentum after one gradient of 1 and then zeros."""
    slots = [0.9**t for t in range(steps)]
    return -0.1 * (1 + sum(0.9 * slot for slot in slots))


def ghost(share: float = 0.99) -> tuple[int, int]:
    """Steps without news until Adam, and SGD with momentum, have made that share of their way."""
    t = range(2, 101)
    adam = [0.1 * 0.9 ** (k - 1) / (1 - 0.9**k) * math.sqrt((1 - 0.999**k) / (0.001 * 0.999 ** (k - 1))) for k in t]
    counts = []
    for steps in (adam, [0.9**k for k in range(1, 100)]):
        done = [sum(steps[: n + 1]) / sum(steps) for n in range(len(steps))]
        counts.append(1 + next(n for n, part in enumerate(done) if part > share))
    return counts[0], counts[1]


FOUND = {
    "adam-hundred": adam(ONE),
    "order": (-0.1, -0.1 * (1 - 0.9**100) / 0.1, -0.1 / math.sqrt(0.1), adam(ONE)),
    "no-first-moment": adam(ONE, beta1=0.0),
    "none-instead": adam([1.0] + [None] * 99),
    "loss-times-1000": adam([1000.0] * 3),
    "freeze-by-zeros": adam([1.0] * 50 + [0.0] * 50) - adam([1.0] * 50),
    "adamw-decay": (1 - 0.1 * 0.01) ** 100,
    "row-twice": (adam([1.0] + [0.0] * 49 + [1.0] + [0.0] * 49), -0.195223),
    "stop-for-good": -0.9,
}
"""What each prompt of the lesson must find."""
PRINTED = ["-0.600522"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {
    "15-64": {*ghost(), -nesterov()},
}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
