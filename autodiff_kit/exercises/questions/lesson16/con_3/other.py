"""Another right answer to con-3."""

import numpy as np


def shares_by_bisection(v):
    """The one shift after which what is left above 0 adds up to 1, found by halving."""
    low, high = v.min() - 1.0, v.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(v - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(v - middle, 0)


OTHER = (shares_by_bisection,)
