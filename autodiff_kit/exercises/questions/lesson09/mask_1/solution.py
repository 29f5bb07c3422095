"""Three places for a mask; what is subtracted before exp decides which of them can be computed."""

import numpy as np


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def zero_after(scores, keep):
    return softmax(scores) * keep


def renormalised(scores, keep):
    largest = np.where(keep, scores, -np.inf).max(-1, keepdims=True)
    e = np.exp(np.minimum(scores - largest, 0)) * keep
    return e / e.sum(-1, keepdims=True)


def masked_before(scores, keep):
    return softmax(np.where(keep, scores, -np.inf))
