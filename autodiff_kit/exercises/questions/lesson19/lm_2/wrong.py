"""Wrong answers to lm-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def damped(J, r, lam, diagonal=None):
    A = J.T @ J
    return np.linalg.solve(A + lam * np.diag(np.diag(A) if diagonal is None else diagonal), -J.T @ r)


WRONG = {
    "sign": ((lambda J, r, lam: -damped(J, r, lam),), "uphill"),
    "identity": ((lambda J, r, lam: damped(J, r, lam, np.ones(3)),), "damps-by-the-identity"),
    "no damping": ((lambda J, r, lam: damped(J, r, 0.0),), "forgets-the-damping"),
    "gradient": ((lambda J, r, lam: -J.T @ r,), "gradient-step"),
    "every entry": ((lambda J, r, lam: damped(J, r, 0.0) / (1 + lam),), "damps-every-entry"),
    "a vector": (
        (lambda J, r, lam: np.linalg.solve(J.T @ J + lam * np.diag(J.T @ J), -J.T @ r),),
        "diagonal-as-a-vector",
    ),
    "2 on the right": ((lambda J, r, lam: 2 * damped(J, r, lam),), "twice"),
    "2 on the left": ((lambda J, r, lam: damped(J, r, lam) / 2,), "half"),
    "lengths, not squares": ((lambda J, r, lam: damped(J, r, lam, np.linalg.norm(J, axis=0)),), ""),
    "lam for 1 + lam": ((lambda J, r, lam: damped(J, r, lam - 1.0),), ""),
}
