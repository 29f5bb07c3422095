"""What lesson 13 must find."""

from __future__ import annotations

FOUND = {
    "record-of-steps": 100 * 5,
    "marks-every-ten": (100 + 10 * 9, 10 + 9),
    "changed-variable": 5 * 3,
    "compiled-draw": "error",
}
"""What each prompt of the lesson must find."""
PRINTED = ["nodes with one tape around the loop: 500"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {"13-040": {1000**0.5, 1000 / 25 + 24, 1000 / 40 + 39}}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
