"""Another right answer to msg-1."""

import numpy as np


def by_a_matrix(x, edges):
    A = np.zeros((len(x), len(x)))
    for start, end in edges:
        A[end, start] += 1
    return A @ x


OTHER = (by_a_matrix,)
