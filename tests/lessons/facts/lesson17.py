"""What lesson 17 must find."""

from __future__ import annotations

import numpy as np

GRADIENTS = np.array([[-2.0, 0.0], [0.0, -4.0], [-6.0, -8.0]])


def clipped(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1.0)


def clip_order() -> int:
    """0: equal; 1: only the lengths differ; 2: both differ; 3: only the directions differ."""
    before, after = clipped(GRADIENTS).mean(axis=0), clipped(GRADIENTS.mean(axis=0))
    same_length = bool(np.isclose(np.linalg.norm(before), np.linalg.norm(after)))
    same_direction = bool(np.isclose(before[0] * after[1], before[1] * after[0]))
    return {(True, True): 0, (False, True): 1, (False, False): 2, (True, False): 3}[same_length, same_direction]


FOUND = {
    "clip-order": clip_order(),
    # One clipped vector leaves the sum, and the opposite one enters.
    "replaced-example": np.linalg.norm(clipped(-GRADIENTS[2]) - clipped(GRADIENTS[2])),
    "passes": 1,
    "mixed-rows": np.zeros(6),
}
"""What each prompt of the lesson must find."""
PRINTED = ["clip, then mean: [-0.5333 -0.6000]   mean, then clip: [-0.5547 -0.8321]"]
"""What its cells print, each within one line."""
