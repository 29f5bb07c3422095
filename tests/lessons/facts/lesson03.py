"""What lesson 03 must find."""

from __future__ import annotations

import math

FOUND = {
    "where-naive": (math.nan, math.nan, 0.25),
    "cond-not-run": "none",
    "nan-weights": 64 * 2,
}
"""What each prompt of the lesson must find."""
PRINTED = ["naive: [nan nan 0.25]   inner where: [0 0 0.25]"]
"""What its cells print, each within one line."""
