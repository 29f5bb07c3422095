"""The cotangent of an entry goes to min, to x or to max: below the range, inside, above."""

import numpy as np


def fake_quant(x, lo, hi, bits):
    scale = (hi - lo) / (2**bits - 1)
    place = np.clip(np.floor(-lo / scale + 0.5), 0, 2**bits - 1)
    first, last = -place * scale, (2**bits - 1 - place) * scale
    y = np.floor(np.clip(x, first, last) / scale + 0.5) * scale
    below, above = x < first, x > last

    def pull(g):
        return np.where(below | above, 0.0, g), g[below].sum(), g[above].sum()

    return y, pull
