"""log never sees the 0: once in the value, and once more in the pull."""

import numpy as np


def xlogy(x, y):
    s = np.where(y == 0, 1.0, y)

    def pull(g):
        return g * np.log(s), g * x / s

    return x * np.log(s), pull
