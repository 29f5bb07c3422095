"""Another right answer to flop-2."""

import numpy as np


def cheapest_by_recursion(dims):
    """The last cut first, each part solved once."""
    known = {}

    def best(i, j):
        if j - i < 2:
            return 0
        if (i, j) not in known:
            cuts = range(i + 1, j)
            known[i, j] = min(best(i, k) + best(k, j) + dims[i] * dims[k] * dims[j] for k in cuts)
        return known[i, j]

    return np.array(best(0, len(dims) - 1))


OTHER = (cheapest_by_recursion,)
