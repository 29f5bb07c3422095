"""What lesson 11 must find."""

from __future__ import annotations

import math

FOUND = {
    "naive-means": (1.5, 4.0, math.nan),
    "pull-of-a-mean": 1 / 3,
    "an-id-of-minus-one": (1 + 2, 3 + 4, 5),
    "counts-alone": 50,
}
"""What each prompt of the lesson must find."""
PRINTED = ["naive means: [1.5 4 nan]   means: [1.5 4 0]"]
"""What its cells print, each within one line."""
