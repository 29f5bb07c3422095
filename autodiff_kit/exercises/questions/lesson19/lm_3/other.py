"""Another right answer to lm-3."""

import numpy as np


def step_of_stacked_rows(J, r, lam):
    rows = np.vstack([J, np.diag(np.sqrt(lam) * np.linalg.norm(J, axis=0))])
    return np.linalg.lstsq(rows, np.r_[-r, np.zeros(J.shape[1])], rcond=None)[0]


def fit_in_two_loops(residual, jacobian, p0):
    p, lam = p0.copy(), 1e-3
    while True:
        r, J = residual(p), jacobian(p)
        while True:
            step = step_of_stacked_rows(J, r, lam)
            if np.linalg.norm(step) < 1e-10 * np.linalg.norm(p):
                return p
            if np.sum(residual(p + step) ** 2) < np.sum(r**2):
                break
            lam *= 10
        p, lam = p + step, lam / 10


OTHER = (fit_in_two_loops,)
