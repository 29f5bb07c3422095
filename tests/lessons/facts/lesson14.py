"""What lesson 14 must find."""

from __future__ import annotations


def steps_to_settle(b: float, rate: float = 0.1) -> int:
    """Steps on w²/2 from w = 1 until w stays within 0.01 of 0."""
    w, u, last = 1.0, 0.0, 0
    for step in range(1, 400):
        u = b * u + w
        w -= rate * u
        if abs(w) > 0.01:
            last = step
    return last + 1


FOUND = {
    "third-step": 0.9 * (0.9 * -0.1 - 0.1) - 0.1,
    "after-the-last": -0.271 * 0.9 / (1 - 0.9),
    "which-settles": (steps_to_settle(0.0), steps_to_settle(0.9)),
    "rate-falls": -0.01 * 0.9 * (1 + 0.9 + 0.81),
    "clipped-steps": 0.1 * sum(0.9**k for k in range(100)),
}
"""What each prompt of the lesson must find."""
PRINTED = ["-0.1000 -0.1900 -0.2710"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {
    "14-039": {0.9 * 2.71, 0.1 / 1.9},
}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
