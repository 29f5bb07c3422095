"""What lesson 02 must find."""

from __future__ import annotations

FOUND = {
    "difference-of-equals": 1 - 1,
    "zero-or-none": (-0.1 - 0.1 * 0.9, -0.1),
    "really-zero": ["rough", "apart"],
    "silent-layer": 1,
}
"""What each prompt of the lesson must find."""
PRINTED = ["by default: [6, None]   asked for zeros: [6, 0]"]
"""What its cells print, each within one line."""
