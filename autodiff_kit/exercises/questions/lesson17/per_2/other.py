"""Another right answer to per-2."""

import numpy as np

import autodiff_kit as ak


def clipped_one_by_one(X, r, C):
    total = np.zeros(X.shape[1])
    for x, one in zip(X, r, strict=True):
        g = 2 * one * x
        n = float(np.sqrt(g @ g))
        total += g if n <= C else g * (C / n)
    return ak.constant(total / len(X))


OTHER = (clipped_one_by_one,)
