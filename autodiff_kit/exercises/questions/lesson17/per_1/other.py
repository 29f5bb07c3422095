"""Another right answer to per-1."""

import numpy as np


def by_broadcasting(einsum, X, D, w):
    """The weights first, and all letters in one order of its own."""
    return np.moveaxis(einsum("nk,nj,n->jkn", D, X, w), -1, 0)


OTHER = (by_broadcasting,)
