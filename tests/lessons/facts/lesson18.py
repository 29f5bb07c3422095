"""What lesson 18 must find."""

from __future__ import annotations

FOUND = {
    "backward-over-forward": 2 * 10 * (4 * 8 + 2 * 8 * 8 + 2 * 8 * 2),
    "frozen-layers": 2 * 10 * (4 * 8 + 8 * 8 + 8 * 2),
    "cheapest-order": 10 * 100 * 2 + 2 * 100 * 10 + 10 * 2 * 10,
}
"""What each prompt of the lesson must find."""
PRINTED = ["forward: 2240   backward: 3840   ratio: 1.714"]
"""What its cells print, each within one line."""
