"""Wrong answers to hess-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def counted(hvp, V, norm=None, spread=None, trace=np.mean):
    H = np.array([hvp(v) for v in V])
    t, s = (V * H).sum(1), (H * H).sum(1)
    return trace(t), norm(t, s) if norm else np.sqrt(s.mean()), spread(t) if spread else t.std(ddof=1) / np.sqrt(len(V))


def full(hvp, V):
    H = np.array([hvp(e) for e in np.eye(V.shape[1])])
    return np.trace(H), np.linalg.norm(H), counted(lambda v: H @ v, V)[2]


def twice(hvp, V):
    return counted(lambda v: (hvp(v) - hvp(-v)) / 2, V)


WRONG = {
    "mean of norms": ((lambda h, V: counted(h, V, norm=lambda t, s: np.sqrt(s).mean()),), "mean-of-norms"),
    "v·Hv squared": (
        (lambda h, V: counted(h, V, norm=lambda t, s: np.sqrt((t**2).mean())),),
        "norm-from-the-quadratic-form",
    ),
    "spread": ((lambda h, V: counted(h, V, spread=lambda t: t.std(ddof=1)),), "spread-not-error"),
    "divides by n": ((lambda h, V: counted(h, V, spread=lambda t: t.std() / np.sqrt(len(V))),), "divides-by-n"),
    "s/n": ((lambda h, V: counted(h, V, spread=lambda t: t.std(ddof=1) / len(V)),), "error-over-n"),
    "s/√12": (
        (lambda h, V: counted(h, V, spread=lambda t: t.std(ddof=1) / np.sqrt(V.shape[1])),),
        "error-over-the-variables",
    ),
    "sum": ((lambda h, V: counted(h, V, trace=np.sum),), "sum-not-mean"),
    "sums": ((lambda h, V: counted(h, V, trace=np.sum, norm=lambda t, s: np.sqrt(s.sum())),), "sum-not-mean"),
    "|v·Hv|": ((lambda h, V: counted(h, V, trace=lambda t: np.abs(t).mean()),), "absolute-values"),
    "mean of all entries": (
        (lambda h, V: counted(h, V, norm=lambda t, s: np.sqrt(s.mean() / V.shape[1])),),
        "mean-over-all-entries",
    ),
    "full Hessian": ((full,), "builds-the-hessian"),
    "no root": ((lambda h, V: counted(h, V, norm=lambda t, s: s.mean()),), "no-root"),
    "mean of norms and spread": (
        (lambda h, V: counted(h, V, norm=lambda t, s: np.sqrt(s).mean(), spread=lambda t: t.std(ddof=1)),),
        "",
    ),
    "two products a probe": ((twice,), ""),
}
