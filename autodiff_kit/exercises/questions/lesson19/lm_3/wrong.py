"""Wrong answers to lm-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def damped(J, r, lam, diagonal=None):
    A = J.T @ J
    return np.linalg.solve(A + lam * np.diag(np.diag(A) if diagonal is None else diagonal), -J.T @ r)


def fitted(residual, jacobian, p0, keep=False, again=10.0, stop=False, most=200, lam=1e-3, after=0.1, one=None):
    p = np.array(p0)
    r, J = residual(p), jacobian(p)
    for _ in range(most):
        step = damped(J, r, lam, one)
        there = residual(p + step)
        if there @ there < r @ r or keep:
            p, r, lam = p + step, there, lam * after
            J = jacobian(p)
        elif stop:
            break
        else:
            lam *= again
        if np.abs(step).max() < 1e-13:
            break
    return p


def asks_first(residual, jacobian, p0):
    p, lam = np.array(p0), 1e-3
    r, J = residual(p), jacobian(p)
    for _ in range(200):
        step = damped(J, r, lam)
        there, slope = residual(p + step), jacobian(p + step)
        if there @ there < r @ r:
            p, r, J, lam = p + step, there, slope, lam / 10
        else:
            lam *= 10
        if np.abs(step).max() < 1e-13:
            break
    return p


def endless(residual, jacobian, p0):
    return fitted(residual, jacobian, p0, again=0.1, most=10**6)


WRONG = {
    "keeps": ((lambda r, j, p: fitted(r, j, p, keep=True),), "keeps-a-bad-step"),
    "falls": ((lambda r, j, p: fitted(r, j, p, again=0.1),), "damping-only-falls"),
    "the same again": ((lambda r, j, p: fitted(r, j, p, again=1.0),), "damping-only-falls"),
    "without an end": ((endless,), "damping-only-falls"),
    "stops": ((lambda r, j, p: fitted(r, j, p, stop=True),), "stops-on-rejection"),
    "asks first": ((asks_first,), "jacobian-before-the-decision"),
    "identity": ((lambda r, j, p: fitted(r, j, p, one=np.ones(2)),), "damps-by-the-identity"),
    "no damping": ((lambda r, j, p: fitted(r, j, p, lam=0.0, again=1.0),), "no-damping"),
    "starts at 1": ((lambda r, j, p: fitted(r, j, p, lam=1.0),), ""),
    "grows after success": ((lambda r, j, p: fitted(r, j, p, after=10.0, again=10.0),), "damping-grows-after-success"),
    "the wrong way round": (
        (lambda r, j, p: fitted(r, j, p, after=10.0, again=0.1),),
        "damping-grows-after-success and damping-only-falls",
    ),
    "three steps": ((lambda r, j, p: fitted(r, j, p, most=3),), ""),
    "never asks": ((lambda r, j, p: np.array([2.0, -1.0]),), ""),
}
