"""Wrong answers to con-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def in_place(w, g, lr):
    w -= lr * g
    np.maximum(w, 0, out=w)
    return w


def shifted(w, g, lr):
    """All entries are moved up until none is negative."""
    after = w - lr * g
    return after - min(after.min(), 0)


def stays_where_negative(w, g, lr):
    """A step that would leave is not taken at all."""
    after = w - lr * g
    return np.where(after < 0, w, after)


WRONG = {
    "the gradient": ((lambda w, g, lr: w - lr * np.maximum(g, 0),), "projects-the-gradient"),
    "before": ((lambda w, g, lr: np.maximum(w, 0) - lr * g,), "projects-before"),
    "abs": ((lambda w, g, lr: np.abs(w - lr * g),), "absolute-value"),
    "uphill": ((lambda w, g, lr: np.maximum(w + lr * g, 0),), "uphill"),
    "no step from 0": ((lambda w, g, lr: np.maximum(w - lr * np.where(w > 0, g, 0), 0),), "no-step-from-the-bound"),
    "before and after": ((lambda w, g, lr: np.maximum(np.maximum(w, 0) - lr * g, 0),), "projects-twice"),
    "shift": ((shifted,), "shifts-all"),
    "floor": ((lambda w, g, lr: np.maximum(w - lr * g, 1e-6),), "tiny-floor"),
    "only the sign": ((lambda w, g, lr: np.maximum(w - lr * np.sign(g), 0),), ""),
    "in place": ((in_place,), "writes-into-w"),
    "no projection": ((lambda w, g, lr: w - lr * g,), "not-projected"),
    "no step": ((stays_where_negative,), "skips-the-step"),
}
