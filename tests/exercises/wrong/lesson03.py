"""Wrong solutions of lesson 03, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def right(name, x, shift=0.0, low=None, otherwise=0.0):
    inside = ak.where(x > 0, x, 1.0) + shift
    if low is not None:
        inside = ak.maximum(inside, low)
    return ak.where(x > 0, getattr(ak, name)(inside), otherwise)


def outside(name, x):
    return ak.where(x > 0, getattr(ak, name)(x), 0.0)


def times(name, x):
    return getattr(ak, name)(x) * ak.cast(x > 0, x.dtype)


def detached(name, x):
    return right(name, ak.constant(x.numpy()))


def stopped(name, x):
    return right(name, ak.stop_gradient(x)) + 0.0 * x


def double(name, x):
    return ak.cast(right(name, ak.cast(x, np.float64)), np.float64)


def tape_says(p, a, b, unconnected="none"):
    p, a, b = ak.Variable(p), ak.Variable(a), ak.Variable(b)
    with ak.GradientTape(persistent=True) as tape:
        ways = (ak.cond(p > 0, lambda: a**2, lambda: b**3), ak.where(p > 0, a**2, b**3))
    return [list(tape.gradient(y, [a, b, p], unconnected_gradients=unconnected)) for y in ways]


def no_zero_left(p, a, b):
    return [[None if g is not None and float(g) == 0 else g for g in way] for way in tape_says(p, a, b)]


def zero_for_the_branch(p, a, b):
    by_cond, by_where = tape_says(p, a, b)
    return [0.0 if g is None else g for g in by_cond[:2]] + [None], by_where


def slope_of_p(p, a, b):
    return [[*way[:2], 0.0] for way in tape_says(p, a, b)]


def truthy(p, a, b):
    chosen, other = (0, 1) if p else (1, 0)
    one = [None, None, None]
    one[chosen] = (2 * a, 3 * b**2)[chosen]
    both = list(one)
    both[other] = 0.0
    return one, both


def xl(x, y, slopes=None, value=None):
    s = np.where(y == 0, 1.0, y)
    pull = slopes or (lambda g: (g * np.log(s), g * x / s))
    return (x * np.log(s) if value is None else value), pull


def xl_shifted(x, y):
    return xl(x, y, value=x * np.log(y + 1e-6))


def xl_raw(x, y):
    return xl(x, y, value=x * np.log(y))


def xl_outside(x, y):
    return xl(x, y, value=np.where(x == 0, 0.0, x * np.log(y)))


def xl_raw_quiet(x, y):
    with np.errstate(all="ignore"):
        return xl(x, y, value=x * np.log(y))


def xl_slopes(x, y):
    return xl(x, y, slopes=lambda g: (g * np.log(y), g * x / y))


def xl_slopes_quiet(x, y):
    def pull(g):
        with np.errstate(all="ignore"):
            return g * np.log(y), g * x / y

    return xl(x, y, slopes=pull)


def xl_ones(x, y):
    value, pull = xl(x, y)
    return value, lambda g: pull(np.ones_like(g))


def xl_guarded(x, y):
    value, pull = xl(x, y)
    return value, lambda g: tuple(np.where(x == 0, 0.0, part) for part in pull(g))


def xl_swapped(x, y):
    value, pull = xl(x, y)
    return value, lambda g: pull(g)[::-1]


WRONG = {
    "where-1": {
        "outer where": ((outside,), "where-only-outside"),
        "times the mask": ((times,), "value-already-nan"),
        "eps": ((lambda n, x: right(n, x, shift=1e-7),), "adds-eps"),
        "larger eps": ((lambda n, x: right(n, x, shift=1e-3),), "adds-eps"),
        "kept above": ((lambda n, x: right(n, x, low=1e-4),), "adds-eps"),
        "detached": ((detached,), "cuts-the-gradient"),
        "stopped": ((stopped,), "cuts-the-gradient"),
        "1 elsewhere": ((lambda n, x: right(n, x, otherwise=1.0),), ""),
        "no choice": ((lambda n, x: getattr(ak, n)(x),), ""),
        "always float64": ((double,), ""),
    },
    "where-2": {
        "0 for the branch": ((zero_for_the_branch,), "zero-for-the-branch-not-run"),
        "None by where": ((no_zero_left,), "where-gives-None"),
        "0 for p": ((slope_of_p,), "gradient-of-the-condition"),
        "all zeros": ((lambda p, a, b: tape_says(p, a, b, "zero"),), ""),
        "p, not p > 0": ((truthy,), ""),
        "the other way round": ((lambda p, a, b: tape_says(p, a, b)[::-1],), ""),
    },
    "where-3": {
        "x log y": ((xl_raw,), "zero-times-infinity"),
        "x log y, warnings off": ((xl_raw_quiet,), "zero-times-infinity"),
        "where outside": ((xl_outside,), "zero-times-infinity"),
        "eps": ((xl_shifted,), "adds-eps"),
        "raw slope": ((xl_slopes,), "slope-not-guarded"),
        "raw slope, warnings off": ((xl_slopes_quiet,), "slope-not-guarded"),
        "no g": ((xl_ones,), "ignores-the-cotangent"),
        "0 wherever x is 0": ((xl_guarded,), "guards-too-much"),
        "dx and dy swapped": ((xl_swapped,), ""),
    },
}
