"""Another right answer to msg-2."""

import numpy as np


def by_a_matrix(g, edges):
    A = np.zeros((len(g), len(g)))
    A[edges[:, 1], edges[:, 0]] = 1
    A /= np.maximum(A.sum(axis=1, keepdims=True), 1)
    return A.T @ g


OTHER = (by_a_matrix,)
