"""Another right answer to lm-1."""

import numpy as np

import autodiff_kit as ak


def columns_in_place(push, pull, m, p, iterations):
    J = np.zeros((m, p))
    for k in range(min(m, p)):
        one = np.zeros(min(m, p))
        one[k] = 1.0
        if p < m:
            J[:, k] = push(one)
        else:
            J[k] = pull(one)
    return [ak.constant(J), float(iterations * min(m, p))]


OTHER = (columns_in_place,)
