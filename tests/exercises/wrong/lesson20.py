"""Wrong solutions of lesson 20, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def columns(kit, grad, x):
    return np.stack([np.asarray(kit.jvp(grad, x, e)[1]) for e in np.eye(len(x))], axis=1)


def slope_along(kit, grad, x, v):
    return float(np.asarray(grad(x)) @ v)


def by_differences(kit, grad, x, v):
    return (np.asarray(grad(x + 1e-5 * v)) - np.asarray(grad(x - 1e-5 * v))) / 2e-5


def both_ways(kit, grad, x, v):
    _, pull = kit.vjp(grad, x)
    return (np.asarray(kit.jvp(grad, x, v)[1]) + np.asarray(pull(v))) / 2


def counted(hvp, V, norm=None, spread=None):
    H = np.array([hvp(v) for v in V])
    t, s = (V * H).sum(1), (H * H).sum(1)
    return t.mean(), norm(t, s) if norm else np.sqrt(s.mean()), spread(t) if spread else t.std(ddof=1) / np.sqrt(len(V))


def full(hvp, V):
    H = np.array([hvp(e) for e in np.eye(V.shape[1])])
    return np.trace(H), np.linalg.norm(H), counted(lambda v: H @ v, V)[2]


def twice(hvp, V):
    return counted(lambda v: (hvp(v) - hvp(-v)) / 2, V)


WRONG = {
    "hess-1": {
        "gradient times v": ((slope_along,), "gradient-times-v"),
        "Hessian first": ((lambda kit, grad, x, v: columns(kit, grad, x) @ v,), "hessian-first"),
        "gradient times v, entry by entry": ((lambda kit, grad, x, v: np.asarray(grad(x)) * v,), ""),
        "differences": ((by_differences,), ""),
        "push and pull": ((both_ways,), ""),
        "the push's value": ((lambda kit, grad, x, v: kit.jvp(grad, x, v)[0],), ""),
    },
    "hess-2": {
        "mean of norms": ((lambda h, V: counted(h, V, norm=lambda t, s: np.sqrt(s).mean()),), "mean-of-norms"),
        "v·Hv squared": (
            (lambda h, V: counted(h, V, norm=lambda t, s: np.sqrt((t**2).mean())),),
            "norm-from-the-quadratic-form",
        ),
        "spread": ((lambda h, V: counted(h, V, spread=lambda t: t.std(ddof=1)),), "spread-not-error"),
        "divides by n": ((lambda h, V: counted(h, V, spread=lambda t: t.std() / np.sqrt(len(V))),), "divides-by-n"),
        "full Hessian": ((full,), "builds-the-hessian"),
        "no root": ((lambda h, V: counted(h, V, norm=lambda t, s: s.mean()),), ""),
        "two products a probe": ((twice,), ""),
    },
    "hess-3": {
        "never moves": ((lambda g, x, v, h: (g(x) - g(x)) / (2 * h),), "never-moves"),
        "ahead only": ((lambda g, x, v, h: (g(x + h * v) - g(x)) / h,), "one-sided"),
        "behind only": ((lambda g, x, v, h: (g(x) - g(x - h * v)) / h,), "one-sided"),
        "divides by h": ((lambda g, x, v, h: (g(x + h * v) - g(x - h * v)) / h,), "divides-by-h"),
        "moves every entry": ((lambda g, x, v, h: (g(x + h) - g(x - h)) / (2 * h),), "shifts-by-a-constant"),
        "does not divide": ((lambda g, x, v, h: g(x + h * v) - g(x - h * v),), ""),
        "gradient": ((lambda g, x, v, h: g(x + h * v),), ""),
    },
}
