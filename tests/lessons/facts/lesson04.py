"""What lesson 04 must find."""

from __future__ import annotations

FOUND = {
    "loop-slopes": (2**6, 2**5),
    "difference-over-jump": (3.126 * 2**5 - 3.124 * 2**6) / 0.002,
    "root-at-once": "none",
}
"""What each prompt of the lesson must find."""
PRINTED = ["slope at 3.124: 64   at 3.125: 32", "central difference -49952"]
"""What its cells print, each within one line."""
