"""What lesson 14 must find."""

from __future__ import annotations

FOUND = {
    "third-step": 0.9 * (0.9 * -0.1 - 0.1) - 0.1,
    "after-the-last": -0.271 * 0.9 / (1 - 0.9),
    "rate-falls": -0.01 * 0.9 * (1 + 0.9 + 0.81),
    "clipped-steps": 0.1 * sum(0.9**k for k in range(100)),
}
"""What each prompt of the lesson must find."""
PRINTED = ["-0.1 -0.19 -0.271   in all: -0.561"]
"""What its cells print, each within one line."""
