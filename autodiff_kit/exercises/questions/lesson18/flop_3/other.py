"""Another right answer to flop-3."""

import numpy as np


def dearest_by_arrays(record):
    """All lines at once, sorted by an array of sums."""
    line, m, k, n, followed = np.array(record).T
    sums = np.bincount(line, weights=2.0 * m * k * n * (1 + followed))
    first = np.argsort(-sums)[:5]
    return np.stack([first, sums[first]], axis=1)


OTHER = (dearest_by_arrays,)
