"""What lesson 00 must find."""

from __future__ import annotations

import math

FOUND = {
    "slope-on-the-way": 2 * (2 * 3),
    "asked-twice": 2 * (2 * 3) * 3,
    "kept-by-a-sum": 0,
    "two-targets": 2 * 2 - math.exp(1 / 2) / 4,
}
"""What each prompt of the lesson must find."""
PRINTED = ["dz/da: 36", "y: 12"]
"""What its cells print, each within one line."""
