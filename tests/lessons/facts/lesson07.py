"""What lesson 07 must find."""

from __future__ import annotations

import math

import numpy as np


def own_range(x: np.ndarray, bits: int) -> np.ndarray:
    scale = (x.max() - x.min()) / (2**bits - 1)
    place = np.floor(0.5 - x.min() / scale)
    below, above = x < -place * scale, x > (2**bits - 1 - place) * scale
    return (
        np.where(below | above, 0, 1)
        + below.sum() * (np.arange(x.size) == x.argmin())
        + above.sum() * (np.arange(x.size) == x.argmax())
    )


def lowest_of_a_tie(kind: type) -> float:
    scale = (kind(1) - kind(-1)) / kind(7)
    return float(-np.floor(kind(1) / scale + kind(0.5)) * scale)


FOUND = {
    "own-range": own_range(np.array([-4.0, -3.5, 0.0, 1.0, 5.0]), 2),
    "nudged-end": float((255 - math.floor(6 / (12 / 255) + 0.5)) * 12 / 255 > 5.98),
    "tie": [lowest_of_a_tie(np.float32), lowest_of_a_tie(np.float64)],
    "trained-through": 88.6,
}
"""What each prompt of the lesson must find."""
PRINTED = ["[2 0 1 1 1]"]
"""What its cells print, each within one line."""
