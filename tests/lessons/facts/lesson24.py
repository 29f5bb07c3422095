"""What lesson 24 must find."""

from __future__ import annotations

import numpy as np

GRADIENT, PROBE = np.array([3.0, 1.0]), np.array([1.0, -1.0])


def calls_of_a_descent() -> str:
    """Expected calls on |x − 1|²/2 in 32 numbers, where a probe's best step leaves 1 − 1/n of the squared distance."""
    n = 32
    steps_by_probe = np.log(0.01) / np.log(1 - 1 / n)
    steps_by_pairs = np.log(0.01) / np.log((9 / 11) ** 2)  # curvatures from 1 to 10, the best learning rate
    ratio = 2 * steps_by_probe / (2 * n * steps_by_pairs)
    return "less" if ratio < 0.2 else "same" if ratio < 5 else "more"


FOUND = {
    "estimate-of-one-probe": tuple((GRADIENT @ PROBE) * PROBE),
    "error-with-n": round(float(np.sqrt(127 / 4)), 1),
    "calls-of-a-descent": calls_of_a_descent(),
    "learned-from-results": 0.5**2,
}
"""What each prompt of the lesson must find."""
PRINTED = ["n = 128: 5.6 times the length of the gradient"]
"""What its cells print, each within one line."""
TRY_ANSWERS = {"24-032": {100 / 0.1**2, 2 * 100 / 0.1**2, 2.0 * 101}}
"""Numbers of answers that no cell has, by cell."""
