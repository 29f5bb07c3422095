"""Lengths first; dividing by what is at least C needs no guard."""

import numpy as np


def clip_mean(X, r, C):
    G = 2 * r[:, None] * X
    n = np.linalg.norm(G, axis=1, keepdims=True)
    return (G * (C / np.maximum(n, C))).mean(axis=0)
