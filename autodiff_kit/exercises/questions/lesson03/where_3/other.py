"""Another right answer to where-3."""

import numpy as np


def xlogy_out(x, y):
    log = np.log(y, out=np.zeros_like(y), where=y > 0)
    return x * log, lambda g: [g * log, np.divide(g * x, y, out=np.zeros_like(y), where=y > 0)]


OTHER = (xlogy_out,)
