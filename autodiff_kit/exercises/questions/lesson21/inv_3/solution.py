"""u J = g is one linear system with the transpose of J."""

import numpy as np


def pull_of_inverse(J, g):
    return np.linalg.solve(J.T, g)
