"""Wrong solutions of lesson 19, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def by_pulls(push, pull, m, p, iterations):
    return np.stack([pull(e) for e in np.eye(m)]), iterations * m


def by_pushes(push, pull, m, p, iterations):
    return np.stack([push(e) for e in np.eye(p)], axis=1), iterations * p


def fewest(push, pull, m, p):
    return by_pushes(push, pull, m, p, 1)[0] if p <= m else by_pulls(push, pull, m, p, 1)[0]


def summed(push, pull, m, p, iterations):
    return pull(np.ones(m)), iterations


def damped(J, r, lam, diagonal=None):
    A = J.T @ J
    return np.linalg.solve(A + lam * np.diag(np.diag(A) if diagonal is None else diagonal), -J.T @ r)


def fitted(residual, jacobian, p0, keep=False, again=10.0, stop=False, most=200):
    p, lam = np.array(p0), 1e-3
    r, J = residual(p), jacobian(p)
    for _ in range(most):
        step = damped(J, r, lam)
        there = residual(p + step)
        if there @ there < r @ r or keep:
            p, r, lam = p + step, there, lam / 10
            J = jacobian(p)
        elif stop:
            break
        else:
            lam *= again
        if np.abs(step).max() < 1e-13:
            break
    return p


def endless(residual, jacobian, p0):
    return fitted(residual, jacobian, p0, again=0.1, most=10**6)


WRONG = {
    "lm-1": {
        "pulls": ((by_pulls,), "always-reverse"),
        "pulls, the count of pushes": (
            (lambda q, r, m, p, i: (by_pulls(q, r, m, p, i)[0], i * min(m, p)),),
            "always-reverse",
        ),
        "one pull": ((summed,), "gradient-of-the-cost"),
        "pushes": ((by_pushes,), ""),
        "rows for columns": ((lambda q, r, m, p, i: (fewest(q, r, m, p).T, i * min(m, p)),), ""),
        "one iteration": ((lambda q, r, m, p, i: (fewest(q, r, m, p), min(m, p)),), ""),
    },
    "lm-2": {
        "sign": ((lambda J, r, lam: -damped(J, r, lam),), "uphill"),
        "identity": ((lambda J, r, lam: damped(J, r, lam, np.ones(3)),), "damps-by-the-identity"),
        "no damping": ((lambda J, r, lam: damped(J, r, 0.0),), "forgets-the-damping"),
        "gradient": ((lambda J, r, lam: -J.T @ r,), "gradient-step"),
        "lengths, not squares": ((lambda J, r, lam: damped(J, r, lam, np.linalg.norm(J, axis=0)),), ""),
        "lam for 1 + lam": ((lambda J, r, lam: damped(J, r, lam - 1.0),), ""),
    },
    "lm-3": {
        "keeps": ((lambda r, j, p: fitted(r, j, p, keep=True),), "keeps-a-bad-step"),
        "falls": ((lambda r, j, p: fitted(r, j, p, again=0.1),), "damping-only-falls"),
        "the same again": ((lambda r, j, p: fitted(r, j, p, again=1.0),), "damping-only-falls"),
        "without an end": ((endless,), "damping-only-falls"),
        "stops": ((lambda r, j, p: fitted(r, j, p, stop=True),), "stops-on-rejection"),
        "three steps": ((lambda r, j, p: fitted(r, j, p, most=3),), ""),
        "never asks": ((lambda r, j, p: np.array([2.0, -1.0]),), ""),
    },
}
