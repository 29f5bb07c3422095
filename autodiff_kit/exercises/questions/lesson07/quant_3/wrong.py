"""Wrong answers to quant-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def nudge(lo, hi, bits, steps=None, rounded=lambda place: np.floor(place + 0.5), kept=True):
    steps = steps or 2**bits - 1
    scale = (hi - lo) / steps
    place = rounded(-lo / scale)
    place = np.clip(place, 0, steps) if kept else place
    return scale, -place * scale, (steps - place) * scale


def quantiser(to_x=None, to_ends=None, raw=False):
    """A fake quantiser with other gradients: to_x(below, inside, above, g), to_ends(dmin, dmax); raw keeps its range."""

    def fake(x, lo, hi, bits):
        scale, first, last = (hi - lo) / (2**bits - 1), lo, hi
        if not raw:
            scale, first, last = nudge(lo, hi, bits)
        y = np.floor((np.clip(x, first, last) - first) / scale + 0.5) * scale + first
        below, above = x < first, x > last

        def pull(g):
            inside = np.where(below | above, 0.0, g)
            dx = inside if to_x is None else to_x(x, lo, hi, g)
            ends = (g[below].sum(), g[above].sum())
            return (dx, *(ends if to_ends is None else to_ends(*ends)))

        return y, pull

    return fake


def parts(x, bits, g):
    dx, dmin, dmax = quantiser()(x, x.min(), x.max(), bits)[1](g)
    return dx.copy(), dmin, dmax


def constant(x, bits, g):
    return parts(x, bits, g)[0]


def one_end(x, bits, g, end):
    dx, dmin, dmax = parts(x, bits, g)
    at = x == (x.min() if end == "min" else x.max())
    return dx + (dmin if end == "min" else dmax) * at / at.sum()


def first_only(x, bits, g):
    dx, dmin, dmax = parts(x, bits, g)
    dx[x.argmin()] += dmin
    dx[x.argmax()] += dmax
    return dx


def last_only(x, bits, g):
    return first_only(x[::-1], bits, g[::-1])[::-1].copy()


def all_of_a_tie(x, bits, g):
    dx, dmin, dmax = parts(x, bits, g)
    return dx + dmin * (x == x.min()) + dmax * (x == x.max())


def put_not_added(x, bits, g):
    dx, dmin, dmax = parts(x, bits, g)
    dx[x == x.min()] = dmin / (x == x.min()).sum()
    dx[x == x.max()] = dmax / (x == x.max()).sum()
    return dx


def ends_swapped(x, bits, g):
    dx, dmin, dmax = parts(x, bits, g)
    dx[x == x.min()] += dmax / (x == x.min()).sum()
    dx[x == x.max()] += dmin / (x == x.max()).sum()
    return dx


WRONG = {
    "constant range": ((constant,), "range-taken-for-constant"),
    "only min added": ((lambda x, bits, g: one_end(x, bits, g, "min"),), "max-left-out"),
    "only max added": ((lambda x, bits, g: one_end(x, bits, g, "max"),), "min-left-out"),
    "ones": ((lambda x, bits, g: g,), "one-everywhere"),
    "the first only": ((first_only,), "first-of-a-tie-takes-all"),
    "the last only": ((last_only,), "first-of-a-tie-takes-all"),
    "all of it to each": ((all_of_a_tie,), "each-of-a-tie-takes-all"),
    "put, not added": ((put_not_added,), "overwrites-instead-of-adding"),
    "ends swapped": ((ends_swapped,), "min-and-max-swapped"),
}
