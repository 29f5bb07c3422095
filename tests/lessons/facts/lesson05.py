"""What lesson 05 must find."""

from __future__ import annotations

import math

FOUND = {
    "log1pexp-slope": math.nan,
    "floor-overridden": (math.floor(1.7), 1),
    "hook-on-one-path": 2 * (2 * 3) + 3,
}
"""What each prompt of the lesson must find."""
PRINTED = ["composed: nan   with its own rule: 1.0"]
"""What its cells print, each within one line."""
