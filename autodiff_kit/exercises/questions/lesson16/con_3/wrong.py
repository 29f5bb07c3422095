"""Wrong answers to con-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def clip_rescale(v):
    kept = np.maximum(v, 0)
    return kept / kept.sum()


def softmax(v):
    raised = np.exp(v - v.max())
    return raised / raised.sum()


def shift(v):
    return v - (v.sum() - 1) / len(v)


def shift_clip(v):
    return np.maximum(shift(v), 0)


def largest_only(v):
    return (np.arange(len(v)) == v.argmax()).astype(float)


def too_few(v):
    """The first k for which the condition holds, in place of the last."""
    u = np.sort(v)[::-1]
    shifts = (np.cumsum(u) - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - shifts[np.flatnonzero(u > shifts)[0]], 0)


WRONG = {
    "clip and rescale": ((clip_rescale,), "clip-and-rescale"),
    "softmax": ((softmax,), "softmax-is-not-a-projection"),
    "one shift": ((shift,), "one-shift-only"),
    "shift and clip": ((shift_clip,), "shift-then-clip"),
    "shift, clip, rescale": ((lambda v: clip_rescale(shift(v)),), "shift-clip-rescale"),
    "the largest": ((largest_only,), "largest-takes-all"),
    "the first k": ((too_few,), ""),
}
