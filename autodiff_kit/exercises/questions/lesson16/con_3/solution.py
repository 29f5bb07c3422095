"""Subtract one shift from all and clip: of the sorted entries those stay that are above it."""

import numpy as np


def to_simplex(v):
    u = np.sort(v)[::-1]
    shifts = (np.cumsum(u) - 1) / np.arange(1, len(v) + 1)
    k = np.flatnonzero(u > shifts)[-1]
    return np.maximum(v - shifts[k], 0.0)
