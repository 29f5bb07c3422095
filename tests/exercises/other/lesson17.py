"""Other right answers to lesson 17's questions."""

import numpy as np

import autodiff_kit as ak


def by_broadcasting(einsum, X, D, w):
    """The weights first, and all letters in one order of its own."""
    return np.moveaxis(einsum("nk,nj,n->jkn", D, X, w), -1, 0)


def clipped_one_by_one(X, r, C):
    total = np.zeros(X.shape[1])
    for x, one in zip(X, r, strict=True):
        g = 2 * one * x
        n = float(np.sqrt(g @ g))
        total += g if n <= C else g * (C / n)
    return ak.constant(total / len(X))


def lengths_with_a_one(X, D):
    """The bias is the weight of an input that is always 1."""
    ones = np.concatenate([X, np.ones((len(X), 1))], axis=1)
    return np.linalg.norm(ones, axis=1) * np.linalg.norm(D, axis=1)


OTHER = {
    "per-1": (by_broadcasting,),
    "per-2": (clipped_one_by_one,),
    "per-3": (lengths_with_a_one,),
}
