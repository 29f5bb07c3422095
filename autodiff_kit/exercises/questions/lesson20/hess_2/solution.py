"""One product for each probe: v·Hv is the trace on average, |Hv|² the square of the norm."""

import numpy as np


def probes(hvp, V):
    H = np.array([hvp(v) for v in V])
    quadratics, squares = (V * H).sum(axis=1), (H * H).sum(axis=1)
    error = quadratics.std(ddof=1) / np.sqrt(len(V))
    return quadratics.mean(), np.sqrt(squares.mean()), error
