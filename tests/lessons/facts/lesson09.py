"""What lesson 09 must find."""

from __future__ import annotations

import math

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


def all_masked() -> list[np.ndarray]:
    scores = np.log([1.0, 2.0, 3.0, 4.0])
    return [softmax(scores.astype(kind) + kind(-1e9)) for kind in (np.float32, np.float64)]


def longer_padding_changes() -> list[bool]:
    """Whether the kept weights change, in each design, when more padding with score 0 is appended."""
    scores = np.log([1.0, 2.0, 3.0])

    def kept_weights(padding: int) -> list[np.ndarray]:
        weights = softmax(np.append(scores, np.zeros(padding)))
        masked = np.append(softmax(scores), np.zeros(padding))
        return [weights[:3], np.where(np.arange(3 + padding) < 3, weights, 0.0)[:3], masked[:3]]

    return [not np.allclose(a, b) for a, b in zip(kept_weights(1), kept_weights(50), strict=True)]


FOUND = {
    "kept-sum": 0.1 + 0.2 + 0.3,
    "outputs": (14.0, 14 / 0.6, 14 / 0.6),
    "gradient-into-padding": -0.4 * 14,
    "all-masked": all_masked(),
    "nan-row": (1, 4),
    "longer-padding": longer_padding_changes(),
}
"""What each prompt of the lesson must find."""
PRINTED = ["-5.6000 0.0000 0.0000"]
"""What its cells print, each within one line."""
TRY_ANSWERS: dict[str, set[float]] = {
    "09-046": {math.exp(6), 5 * math.exp(10), 5 * math.exp(4)},
}
"""Numbers in the answers of *Try it* that no cell computes, by the id of the cell."""
