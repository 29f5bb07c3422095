"""Wrong answers to where-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


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


def xl_eps(x, y, eps=1e-12):
    s = y + eps
    return x * np.log(s), lambda g: (g * np.log(s), g * x / s)


def xl_limit(x, y):
    s = np.maximum(y, 1e-12)
    return x * np.log(s), lambda g: (g * np.log(s), g * x / s)


def xl_nan_to_num(x, y):
    def pull(g):
        with np.errstate(all="ignore"):
            return np.nan_to_num(g * np.log(y)), np.nan_to_num(g * x / y)

    with np.errstate(all="ignore"):
        return np.nan_to_num(x * np.log(y)), pull


def xl_guard(x, y, dx, dy):
    s = np.where(y == 0, 1.0, y)
    return xl(x, y, slopes=lambda g: (g * np.where(y == 0, 0.0, dx(s)), g * np.where(y == 0, 0.0, dy(s))))


WRONG = {
    "x log y": ((xl_raw,), "zero-times-infinity"),
    "x log y, warnings off": ((xl_raw_quiet,), "zero-times-infinity"),
    "where outside": ((xl_outside,), "zero-times-infinity"),
    "eps": ((xl_shifted,), "adds-eps"),
    "raw slope": ((xl_slopes,), "slope-not-guarded"),
    "raw slope, warnings off": ((xl_slopes_quiet,), "slope-not-guarded"),
    "no g": ((xl_ones,), "ignores-the-cotangent"),
    "0 wherever x is 0": ((xl_guarded,), "guards-too-much"),
    "1e-12 in the value and the slopes": ((xl_eps,), "eps-in-the-slope"),
    "y kept above 1e-12": ((xl_limit,), "eps-in-the-slope"),
    "nan_to_num": ((xl_nan_to_num,), "infinity-replaced"),
    "log y + 1": ((lambda x, y: xl_guard(x, y, lambda s: np.log(s) + 1, lambda s: x / s),), "differentiates-x-log-x"),
    "dx = y": ((lambda x, y: xl_guard(x, y, lambda s: s, lambda s: x / s),), "y-for-log-y"),
    "dy = 1/y": (
        (lambda x, y: xl(x, y, slopes=lambda g: (g * np.log(np.where(y == 0, 1, y)), g / np.where(y == 0, 1, y))),),
        "dy-without-x",
    ),
    "dx = 1/y": ((lambda x, y: xl_guard(x, y, lambda s: 1 / s, lambda s: x / s),), ""),
    "dx and dy swapped": ((xl_swapped,), "swaps-dx-and-dy"),
}
