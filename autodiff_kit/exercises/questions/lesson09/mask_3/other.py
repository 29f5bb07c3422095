"""Another right answer to mask-3."""

import numpy as np


def pull_row_by_row(w, keep, g):
    out = np.zeros_like(w)
    for i, k in enumerate(keep):
        out[i, k] = w[i, k] * (g[i, k] - w[i, k] @ g[i, k])
    return out


OTHER = (pull_row_by_row,)
