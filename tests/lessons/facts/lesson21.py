"""What lesson 21 must find."""

from __future__ import annotations

import numpy as np


def far_outside() -> str:
    x = np.linspace(-1, 1, 41)
    return "far" if abs(np.polyval(np.polyfit(x**3 + x, x, 7), 10.0)) > 1000 else "near"


FOUND = {
    "slope-of-the-inverse": 1 / (3 * 2**2 + 1),
    "through-halving": "none",
    "far-outside": far_outside(),
}
"""What each prompt of the lesson must find."""
PRINTED = ["x with F(x) = 10: 2.0000"]
"""What its cells print, each within one line."""
