"""A maximum and a sum for each segment, handed back to its scores by their ids."""

import numpy as np


def segment_softmax(s, ids, c):
    most = np.full(c, -np.inf)
    np.maximum.at(most, ids, s)
    e = np.exp(s - most[ids])
    return e / np.bincount(ids, e, c)[ids]
