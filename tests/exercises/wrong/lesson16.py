"""Wrong solutions of lesson 16, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def in_place(w, g, lr):
    w -= lr * g
    np.maximum(w, 0, out=w)
    return w


def stays_where_negative(w, g, lr):
    """A step that would leave is not taken at all."""
    after = w - lr * g
    return np.where(after < 0, w, after)


def stopped(a, c, b, lam, weight=1.0, other=1.0):
    lam, a = weight * lam, other * a
    return (a * c + lam * b) / (a + lam) if c > b else c


def right_shares(v):
    u = np.sort(v)[::-1]
    shifts = (np.cumsum(u) - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - shifts[np.flatnonzero(u > shifts)[-1]], 0)


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
    "con-1": {
        "the gradient": ((lambda w, g, lr: w - lr * np.maximum(g, 0),), "projects-the-gradient"),
        "before": ((lambda w, g, lr: np.maximum(w, 0) - lr * g,), "projects-before"),
        "abs": ((lambda w, g, lr: np.abs(w - lr * g),), "absolute-value"),
        "in place": ((in_place,), "writes-into-w"),
        "no projection": ((lambda w, g, lr: w - lr * g,), ""),
        "no step": ((stays_where_negative,), ""),
    },
    "con-2": {
        "at the bound": ((lambda a, c, b, lam: min(c, b),), "a-penalty-enforces"),
        "inside too": ((lambda a, c, b, lam: (a * c + lam * b) / (a + lam),), "pulls-inside-too"),
        "no penalty": ((lambda a, c, b, lam: c,), "never-constrained"),
        "penalty twice": ((lambda a, c, b, lam: stopped(a, c, b, lam, weight=2.0),), "halves-mixed-up"),
        "loss twice": ((lambda a, c, b, lam: stopped(a, c, b, lam, other=2.0),), "halves-mixed-up"),
        "weights swapped": ((lambda a, c, b, lam: (a * b + lam * c) / (a + lam) if c > b else c,), ""),
    },
    "con-3": {
        "clip and rescale": ((clip_rescale,), "clip-and-rescale"),
        "softmax": ((softmax,), "softmax-is-not-a-projection"),
        "one shift": ((shift,), "one-shift-only"),
        "shift and clip": ((shift_clip,), "shift-then-clip"),
        "the largest": ((largest_only,), ""),
        "the first k": ((too_few,), ""),
    },
}
