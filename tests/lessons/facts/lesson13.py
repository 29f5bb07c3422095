"""What lesson 13 must find."""

from __future__ import annotations

FOUND = {
    "record-of-steps": 100 * 5,
    "marks-every-ten": (100 + 10 * 9, 10 + 9),
    "changed-variable": 5 * 3,
}
"""What each prompt of the lesson must find."""
PRINTED = ["one tape around: 500   with a tape for each step: 5"]
"""What its cells print, each within one line."""
