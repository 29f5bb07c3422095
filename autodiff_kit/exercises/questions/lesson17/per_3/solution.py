"""The length of an outer product is the product of lengths; the bias adds its own square."""

import numpy as np


def norms(X, D):
    return np.sqrt(((X**2).sum(axis=1) + 1) * (D**2).sum(axis=1))
