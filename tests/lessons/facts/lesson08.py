"""What lesson 08 must find."""

from __future__ import annotations

import math

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


FOUND = {
    "sparse-loss": -math.log(softmax(np.array([0.0, 1.0, 2.0]))[1]),
    "gradient-sum": round(float((softmax(np.array([0.0, 1.0, 2.0])) - np.array([0.0, 1.0, 0.0])).sum()), 12),
    "least-loss": -math.log(softmax(np.eye(10)[0])[0]),
    "raised-logits": -math.log(softmax(np.array([100.0, 101.0, 102.0]))[1]),
}
"""What each prompt of the lesson must find."""
PRINTED = ["1.4076", "[0.0900 -0.7553 0.6652]"]
"""What its cells print, each within one line."""
