"""Another right answer to quant-2."""

import numpy as np


def quantised_by_levels(x, lo, hi, bits):
    """The nearest of all levels, and the gradient by sums over masks."""
    n = 2**bits - 1
    levels = (np.arange(n + 1) - np.clip(np.round(-lo / (hi - lo) * n), 0, n)) * ((hi - lo) / n)
    y = levels[np.abs(np.clip(x, levels[0], levels[-1])[..., None] - levels).argmin(-1)]
    inside = (levels[0] <= x) & (x <= levels[-1])
    return y, lambda g: [g * inside, np.sum(g * (x < levels[0])), np.sum(g * (x > levels[-1]))]


OTHER = (quantised_by_levels,)
