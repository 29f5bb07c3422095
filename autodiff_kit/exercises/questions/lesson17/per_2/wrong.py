"""Wrong answers to per-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def gradients(X, r):
    return 2 * r[:, None] * X


def lengths(G):
    return np.linalg.norm(G, axis=1, keepdims=True)


def clipped(G, C):
    return G * (C / np.maximum(lengths(G), C))


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


def squared_length(X, r, C):
    G = gradients(X, r)
    return (G * (C / np.maximum(lengths(G) ** 2, C))).mean(axis=0)


def squared_comparison(X, r, C):
    total = np.zeros(X.shape[1])
    for g in gradients(X, r):
        total += g * (C / np.linalg.norm(g)) if g @ g > C else g
    return total / len(X)


def dropped(X, r, C):
    G = gradients(X, r)
    return np.where(lengths(G) > C, 0, G).mean(axis=0)


def short_only(X, r, C):
    G = gradients(X, r)
    return G[np.linalg.norm(G, axis=1) <= C].mean(axis=0)


WRONG = {
    "mean, then clip": ((mean_first,), "clips-the-mean"),
    "elementwise": ((lambda X, r, C: np.clip(gradients(X, r), -C, C).mean(axis=0),), "clips-each-element"),
    "normalised": ((stretched,), "stretches-the-short-ones"),
    "no guard": ((unguarded,), "zero-gradient-divides"),
    "no guard, warnings off": ((unguarded_quietly,), "zero-gradient-divides"),
    "sum": ((lambda X, r, C: clipped(gradients(X, r), C).sum(axis=0),), "sum-not-mean"),
    "no 2": ((lambda X, r, C: clipped(gradients(X, r) / 2, C).mean(axis=0),), "half-the-slope"),
    "not clipped": ((lambda X, r, C: gradients(X, r).mean(axis=0),), "not-clipped"),
    "squared length": ((squared_length,), "forgets-the-root"),
    "squared length compared": ((squared_comparison,), "compares-the-square"),
    "long ones are 0": ((dropped,), "drops-the-long-ones"),
    "long ones left out": ((short_only,), "averages-the-short-ones"),
    "residual clipped": ((lambda X, r, C: gradients(X, np.clip(r, -C, C)).mean(axis=0),), "clips-the-residual"),
    "the sign": ((lambda X, r, C: -clipped(gradients(X, r), C).mean(axis=0),), ""),
}
