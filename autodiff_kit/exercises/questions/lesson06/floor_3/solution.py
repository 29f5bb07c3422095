"""The value is floor itself; the derivative is that of the sum of sigmoids."""

import numpy as np


def sigmoid(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def surrogate(x, s, K):
    slope = sum(s * sigmoid(s * (x - k)) * sigmoid(-s * (x - k)) for k in range(1, K + 1))
    return np.clip(np.floor(x), 0, K), lambda g: g * slope
