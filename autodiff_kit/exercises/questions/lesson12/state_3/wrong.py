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


def without_g(x):
    held = x.copy()
    return x**2, lambda g: 2 * held


def compares_the_sum(x, stamp=lambda x: np.round(x.sum(), 9)):
    before = stamp(x)

    def pull(g):
        if stamp(x) != before:
            raise RuntimeError("x has changed")
        return 2 * x * g

    return x**2, pull


def compares_the_exact_sum(x):
    return compares_the_sum(x, stamp=np.sum)


def compares_the_squares(x):
    y = x**2

    def pull(g):
        if not np.array_equal(x**2, y):
            raise RuntimeError("x has changed")
        return 2 * x * g

    return y, pull


WRONG = {
    "by reference": ((by_reference,), "held-by-reference"),
    "a view": ((view,), "held-by-reference"),
    "zeros in place of an error": ((lambda x: stamped(x, np.zeros_like),), "silent"),
    "nan in place of an error": ((lambda x: stamped(x, lambda g: np.full_like(g, np.nan)),), "silent"),
    "no g": ((without_g,), "ignores-g"),
    "the root of y": ((lambda x: (x**2, lambda g, y=x**2: 2 * g * np.sqrt(y)),), "root-of-the-square"),
    "compares the sum": ((compares_the_sum,), "blind-check"),
    "compares the first entry": ((lambda x: compares_the_sum(x, lambda x: x[0]),), "blind-check"),
    "half the slope": ((frozen_root,), ""),
    "the sum to the last bit": ((compares_the_exact_sum,), "blind-check"),
    "compares y": ((compares_the_squares,), "compares-the-squares"),
}
