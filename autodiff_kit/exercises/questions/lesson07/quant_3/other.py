"""Another right answer to quant-3."""

import numpy as np


def total_entry_by_entry(x, bits, g):
    n, lo, hi = 2**bits - 1, min(x.ravel()), max(x.ravel())
    first = -min(max(round(-lo / (hi - lo) * n), 0), n) * (hi - lo) / n
    last = first + hi - lo
    found = np.zeros_like(x)
    for place, weight in np.ndenumerate(g):
        if first <= x[place] <= last:
            found[place] += weight
        else:
            heirs = np.argwhere(x == (lo if x[place] < first else hi))
            for heir in heirs:
                found[tuple(heir)] += weight / len(heirs)
    return found


OTHER = (total_entry_by_entry,)
