"""Sums by id, counts by id; an empty segment divides its 0 by 1."""

import numpy as np


def segment_mean(h, ids, c):
    if ids.size and not 0 <= ids.min() <= ids.max() < c:
        raise IndexError(f"ids go from 0 to {c - 1}; these go from {ids.min()} to {ids.max()}")
    added = np.zeros((c, *h.shape[1:]))
    np.add.at(added, ids, h)
    rows = np.maximum(np.bincount(ids, minlength=c), 1)[:, None]
    return added / rows, lambda g: (g / rows)[ids]
