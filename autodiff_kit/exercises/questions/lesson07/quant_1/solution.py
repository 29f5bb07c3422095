"""Round the place of 0 to an integer, and shift both ends by the same amount."""

import numpy as np


def nudged(lo, hi, bits):
    steps = 2**bits - 1
    scale = (hi - lo) / steps
    place = np.clip(np.floor(-lo / scale + 0.5), 0, steps)
    return scale, -place * scale, (steps - place) * scale
