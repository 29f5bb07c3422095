"""Any model that fits will do inside the range of the given y; the given y alone tell this range."""

import numpy as np


def train(y, x):
    order = np.argsort(y)
    ys, xs = y[order], x[order]

    def M(q):
        return float(np.interp(q, ys, xs))

    def trusted(q):
        return bool(ys[0] <= q <= ys[-1])

    return M, trusted
