"""With c = ln((1 - tol)/tol) a step has climbed to 1 - tol at its integer; c/s shrinks as s grows."""

import numpy as np


def sigmoid(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def shifted(x, s, K, tol):
    c = np.log((1 - tol) / tol)
    return sum(sigmoid(s * (x - k) + c) for k in range(1, K + 1))
