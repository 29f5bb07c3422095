"""Wrong answers to per-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def looped(einsum, X, D, w):
    return np.stack([einsum("i,o->io", x, one * d) for x, d, one in zip(X, D, w, strict=True)])


def twice(einsum, X, D, w):
    return einsum("bio,b->bio", einsum("bi,bo->bio", X, D), w)


def outers(einsum, X, D, w):
    return np.stack([np.outer(x, one * d) for x, d, one in zip(X, D, w, strict=True)])


WRONG = {
    "summed": ((lambda es, X, D, w: es("bi,bo,b->io", X, D, w),), "sums-over-the-batch"),
    "a call for each": ((looped,), "loops"),
    "out, in": ((lambda es, X, D, w: es("bi,bo,b->boi", X, D, w),), "outer-the-wrong-way"),
    "no weights": ((lambda es, X, D, w: es("bi,bo->bio", X, D),), "forgets-the-weights"),
    "np.outer": ((outers,), "einsum-not-asked"),
    "two calls": ((twice,), ""),
    "the mean's": ((lambda es, X, D, w: es("bi,bo,b->bio", X, D, w) / len(X),), "divides-by-the-count"),
}
