"""A padded score stands in the denominator only: raising it takes from every kept weight alike."""

import numpy as np


def leak(scores, keep, values):
    e = np.exp(scores - scores.max())
    p = e / e.sum()
    output = (p * keep) @ values
    return np.where(keep, 0, -p * output)
