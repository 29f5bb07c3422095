"""Another right answer to floor-2."""

import numpy as np


def earlier(x, s, K, tol):
    c = 1.5 * np.log((1 - tol) / tol)
    return np.sum([0.5 + 0.5 * np.tanh((s * (x - k) + c) / 2) for k in range(1, K + 1)], axis=0)


OTHER = (earlier,)
