"""Another right answer to mask-1."""

import numpy as np


def exponentials(scores, keep):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    e = np.exp(shifted)
    return np.where(keep, e / e.sum(-1, keepdims=True), 0)


def very_negative(scores, keep):
    kept = np.where(keep, scores, -1e30)
    e = np.exp(kept - kept.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


OTHER = (
    exponentials,
    very_negative,
    very_negative,
)
