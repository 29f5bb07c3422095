"""Another right answer to custom-1."""

import numpy as np


def log1pexp_by_logaddexp(x):
    y = np.logaddexp(0, x)
    return y, lambda g: g * np.exp(np.minimum(x, 0) - np.logaddexp(0, -np.abs(x)))


OTHER = (log1pexp_by_logaddexp,)
