"""Another right answer to quant-1."""

import numpy as np


def nudged_by_whole_levels(lo, hi, bits):
    scale = (hi - lo) / (2**bits - 1)
    below = min(max(round(-lo / scale), 0), 2**bits - 1)
    ends = scale * np.array([-below, 2**bits - 1 - below])
    return [scale, *ends.tolist()]


OTHER = (nudged_by_whole_levels,)
