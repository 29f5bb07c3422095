"""Wrong solutions of lesson 17, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def gradients(X, r):
    return 2 * r[:, None] * X


def lengths(G):
    return np.linalg.norm(G, axis=1, keepdims=True)


def clipped(G, C):
    return G * (C / np.maximum(lengths(G), C))


def looped(einsum, X, D, w):
    return np.stack([einsum("i,o->io", x, one * d) for x, d, one in zip(X, D, w, strict=True)])


def twice(einsum, X, D, w):
    return einsum("bio,b->bio", einsum("bi,bo->bio", X, D), w)


def outers(einsum, X, D, w):
    return np.stack([np.outer(x, one * d) for x, d, one in zip(X, D, w, strict=True)])


def mean_first(X, r, C):
    mean = gradients(X, r).mean(axis=0)
    return mean * min(1, C / np.linalg.norm(mean))


def stretched(X, r, C):
    n = lengths(gradients(X, r))
    return (gradients(X, r) / np.where(n > 0, n, 1) * C).mean(axis=0)


def unguarded(X, r, C):
    return (gradients(X, r) * np.minimum(1, C / lengths(gradients(X, r)))).mean(axis=0)


def unguarded_quietly(X, r, C):
    G = gradients(X, r)
    with np.errstate(all="ignore"):
        return (G / lengths(G) * np.minimum(lengths(G), C)).mean(axis=0)


def kernel_only(X, D):
    return np.linalg.norm(X, axis=1) * np.linalg.norm(D, axis=1)


def right_norms(X, D):
    return np.sqrt(kernel_only(X, D) ** 2 + (D**2).sum(axis=1))


def formed(X, D):
    G = X[:, :, None] * D[:, None, :]
    return np.sqrt((G**2).sum(axis=(1, 2)) + (D**2).sum(axis=1))


def formed_one_by_one(X, D):
    return np.array([np.sqrt((np.outer(x, d) ** 2).sum() + d @ d) for x, d in zip(X, D, strict=True)])


def of_the_batch(X, D):
    return np.full(len(X), np.sqrt(((X.T @ D) ** 2).sum() + (D.sum(axis=0) ** 2).sum()))


WRONG = {
    "per-1": {
        "summed": ((lambda es, X, D, w: es("bi,bo,b->io", X, D, w),), "sums-over-the-batch"),
        "a call for each": ((looped,), "loops"),
        "out, in": ((lambda es, X, D, w: es("bi,bo,b->boi", X, D, w),), "outer-the-wrong-way"),
        "no weights": ((lambda es, X, D, w: es("bi,bo->bio", X, D),), "forgets-the-weights"),
        "np.outer": ((outers,), "einsum-not-asked"),
        "two calls": ((twice,), ""),
        "the mean's": ((lambda es, X, D, w: es("bi,bo,b->bio", X, D, w) / len(X),), ""),
    },
    "per-2": {
        "mean, then clip": ((mean_first,), "clips-the-mean"),
        "elementwise": ((lambda X, r, C: np.clip(gradients(X, r), -C, C).mean(axis=0),), "clips-each-element"),
        "normalised": ((stretched,), "stretches-the-short-ones"),
        "no guard": ((unguarded,), "zero-gradient-divides"),
        "no guard, warnings off": ((unguarded_quietly,), "zero-gradient-divides"),
        "sum": ((lambda X, r, C: clipped(gradients(X, r), C).sum(axis=0),), "sum-not-mean"),
        "no 2": ((lambda X, r, C: clipped(gradients(X, r) / 2, C).mean(axis=0),), "half-the-slope"),
        "not clipped": ((lambda X, r, C: gradients(X, r).mean(axis=0),), ""),
    },
    "per-3": {
        "kernel only": ((kernel_only,), "forgets-the-bias"),
        "sum of lengths": ((lambda X, D: kernel_only(X, D) + np.linalg.norm(D, axis=1),), "adds-the-norms"),
        "squares": ((lambda X, D: right_norms(X, D) ** 2,), "squared"),
        "of the batch": ((of_the_batch,), "norm-of-the-batch-gradient"),
        "of the batch, one number": ((lambda X, D: of_the_batch(X, D)[0],), "norm-of-the-batch-gradient"),
        "formed": ((formed,), "forms-the-gradients"),
        "formed one by one": ((formed_one_by_one,), "forms-the-gradients"),
        "bias only": ((lambda X, D: np.linalg.norm(D, axis=1),), ""),
    },
}
