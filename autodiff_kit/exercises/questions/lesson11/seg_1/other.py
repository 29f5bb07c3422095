"""Another right answer to seg-1."""

import numpy as np

import autodiff_kit as ak


def means_by_a_matrix(h, ids, c):
    """Adding as a product with a matrix of ones and zeros, whose transpose is the way back."""
    if any(k not in range(c) for k in ids.tolist()):
        raise IndexError("an id that names no segment")
    belongs = (np.arange(c)[:, None] == ids) * 1.0
    belongs /= np.maximum(belongs.sum(axis=1, keepdims=True), 1)
    return ak.constant(belongs @ h), lambda g: belongs.T @ g


OTHER = (means_by_a_matrix,)
