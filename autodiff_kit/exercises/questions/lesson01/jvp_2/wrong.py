"""Wrong answers to jvp-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def e(k, n):
    return np.eye(n)[k]


def row(kit, f, x, i):
    y, p = kit.vjp(f, x)
    return p(e(i, len(y)))


def column(kit, f, x, j):
    return kit.jvp(f, x, e(j, len(x)))[1]


def gradient(kit, f, x):
    y, p = kit.vjp(f, x)
    return p(np.ones(len(y)))


def whole(kit, f, x):
    y, p = kit.vjp(f, x)
    return ak.stack([p(e(i, len(y))) for i in range(len(y))])


def pull_of_y(kit, f, x):
    y, p = kit.vjp(f, x)
    return p(y)


def row_by_another_kit(kit, f, x, i):
    y, p = ak.vjp(f, x)
    return np.asarray(ak.stack([p(e(k, len(y))) for k in range(len(y))]))[i]


def column_by_a_pull(kit, f, x, j):
    y, pull = kit.vjp(f, x)
    return pull(unit_of(y, j))


def unit_of(vector, k):
    found = np.zeros(len(vector))
    found[k] = 1.0
    return found


WRONG = {
    "row by a push, column by a pull": (
        (
            lambda kit, f, x, i: kit.jvp(f, x, unit_of(x, i))[1],
            column_by_a_pull,
            gradient,
        ),
        "row-is-column",
    ),
    "all rows, by another kit": ((row_by_another_kit, column, gradient), "jacobian-first"),
    "gradient returns J": ((row, column, whole), "gives-the-jacobian"),
    "gradient is J @ 1": (
        (row, column, lambda k, f, x: k.jvp(f, x, np.ones(len(x)))[1]),
        "sums-the-rows",
    ),
    "mean": ((row, column, lambda k, f, x: gradient(k, f, x) / len(f(x))), "mean-not-sum"),
    "pulls y": ((row, column, pull_of_y), "pulls-the-value"),
    "row and column swapped": (
        (
            lambda k, f, x, i: column(k, f, x, min(i, len(x) - 1)),
            lambda k, f, x, j: row(k, f, x, min(j, len(f(x)) - 1)),
            gradient,
        ),
        "row-is-column",
    ),
    "row out of J": ((lambda k, f, x, i: whole(k, f, x)[i], column, gradient), "jacobian-first"),
    "column out of J": ((row, lambda k, f, x, j: whole(k, f, x)[:, j], gradient), "jacobian-first"),
}
