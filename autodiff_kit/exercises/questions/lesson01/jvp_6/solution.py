"""Columns 2k+1 apart never touch the same row, so one push answers for all of them."""

import numpy as np


def band_jacobian(push, n, k):
    stride = min(n, 2 * k + 1)
    J = np.zeros((n, n))
    for s in range(stride):
        v = np.zeros(n)
        v[s::stride] = 1
        together = push(v)
        for j in range(s, n, stride):
            rows = slice(max(0, j - k), min(n, j + k + 1))
            J[rows, j] = together[rows]
    return J
