"""Wrong answers to jvp-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def e(k, n):
    return np.eye(n)[k]


def whole(kit, f, x):
    y, p = kit.vjp(f, x)
    return ak.stack([p(e(i, len(y))) for i in range(len(y))])


def central(kit, f, x, v, h=1e-6):
    return (f(x + h * v) - f(x - h * v)) / (2 * h)


def pull_of_v(kit, f, x, v):
    y, p = kit.vjp(f, x)
    w = np.zeros(len(y))
    k = min(len(w), len(v))
    w[:k] = v[:k]
    return p(w)


def pull_twice(kit, f, x, v):
    _, p = kit.vjp(f, x)
    return p(p(v))


def one_number(kit, f, x, v):
    y, p = kit.vjp(f, x)
    return np.full(len(y), float(ak.sum(p(np.ones(len(y))) * v)))


def whole_by_another_kit(f, x):
    y, p = ak.vjp(f, x)
    return ak.stack([p(row) for row in np.eye(len(y))])


WRONG = {
    "row by row, by another kit": ((lambda k, f, x, v: ak.matmul(whole_by_another_kit(f, x), v),), "jacobian-first"),
    "a push, by another kit": ((lambda k, f, x, v: ak.jvp(f, (x,), (v,))[1],), "used-a-push"),
    "row by row": ((lambda k, f, x, v: ak.matmul(whole(k, f, x), v),), "jacobian-first"),
    "central difference": ((central,), "finite-difference"),
    "one-sided difference": ((lambda k, f, x, v: (f(x + 1e-7 * v) - f(x)) / 1e-7,), "finite-difference"),
    "pulls v": ((pull_of_v,), "pulled-not-pushed"),
    "pulls v as it is": ((lambda k, f, x, v: k.vjp(f, x)[1](v),), "pulled-not-pushed"),
    "pulls v twice": ((pull_twice,), "pulled-not-pushed"),
    "a push": ((lambda k, f, x, v: k.jvp(f, x, v)[1],), "used-a-push"),
    "value of the first pull": (
        (lambda k, f, x, v: k.vjp(k.vjp(f, x)[1], np.zeros(len(f(x))))[0],),
        "value-of-the-first-pull",
    ),
    "gradient dot v": ((one_number,), "column-sums-times-v"),
}
