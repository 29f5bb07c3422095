"""What lesson 10 must find."""

from __future__ import annotations

import numpy as np


def runaway_bias() -> float:
    """The bias after 300 steps on the mean of (y − t)², for a derivative of y with respect to b that is taken as 1."""
    u, t, b = np.arange(1.0, 5.0), np.arange(4.0), 0.0
    for _ in range(300):
        b -= 0.1 * 2 * np.mean(u + b - np.mean(u + b) - t)
    return float(b)


FOUND = {
    "stop-the-mean": 2 * (np.arange(4) - 1.5) / 4,
    "stop-the-hessian": 2 / 4 * np.eye(4)[0],
    "stop-both": 1 / np.sqrt(np.var([1, 2, 3, 4])),
    "cut-bias": runaway_bias(),
}
"""What each prompt of the lesson must find."""
PRINTED = ["[-0.75 -0.25 0.25 0.75]"]
"""What its cells print, each within one line."""
