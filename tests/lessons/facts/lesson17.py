"""What lesson 17 must find."""

from __future__ import annotations

FOUND = {
    "clip-order": 2 if abs(1.6 * 12.0 - 1.8 * 8.0) > 1 else 1,
    "wild-example": 0,
    "passes": 1,
}
"""What each prompt of the lesson must find."""
PRINTED = ["clip, then mean: [-0.5333 -0.6]   mean, then clip: [-0.5547 -0.8321]"]
"""What its cells print, each within one line."""
