"""The normal equations, with a part of each diagonal entry added to it, so the step does not depend on units."""

import numpy as np


def lm_step(J, r, lam):
    A = J.T @ J
    return np.linalg.solve(A + lam * np.diag(np.diag(A)), -J.T @ r)
