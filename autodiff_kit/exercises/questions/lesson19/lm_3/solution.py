"""Keep a step only if the cost falls; more damping where it does not, and the same Jacobian again."""

import numpy as np


def fit(residual, jacobian, p0):
    p, r, J, lam = p0, residual(p0), jacobian(p0), 1e-3
    for _ in range(200):
        A = J.T @ J
        step = np.linalg.solve(A + lam * np.diag(np.diag(A)), -J.T @ r)
        there = residual(p + step)
        if there @ there < r @ r:
            p, r, J, lam = p + step, there, jacobian(p + step), lam / 10
        else:
            lam = lam * 10
        if np.abs(step).max() < 1e-10:
            break
    return p
