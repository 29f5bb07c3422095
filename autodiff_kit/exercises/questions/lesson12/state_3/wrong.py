"""Wrong answers to state-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def by_reference(x):
    return x**2, lambda g: 2 * x * g


def stamped(x, answer):
    stamp = x.tobytes()
    return x**2, lambda g: 2 * x * g if x.tobytes() == stamp else answer(g)


def view(x):
    held = x[:]
    return x**2, lambda g: 2 * held * g


def frozen_root(x):
    held = np.sqrt(x**2)
    return x**2, lambda g: held * g


WRONG = {
    "by reference": ((by_reference,), "held-by-reference"),
    "a view": ((view,), "held-by-reference"),
    "zeros in place of an error": ((lambda x: stamped(x, np.zeros_like),), "silent"),
    "nan in place of an error": ((lambda x: stamped(x, lambda g: np.full_like(g, np.nan)),), "silent"),
    "half the slope": ((frozen_root,), ""),
}
