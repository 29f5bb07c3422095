"""Wrong answers to quant-2, each with the misconception that it must be told; an empty name asks for the plain message."""

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


def raw_mask(x, lo, hi, bits):
    y, _ = quantiser()(x, lo, hi, bits)
    return y, quantiser(raw=True)(x, lo, hi, bits)[1]


def nearest_pull(x, lo, hi, bits):
    """Looks at the level after rounding, as some libraries do: half a step beyond an end still counts as inside."""
    y, _ = quantiser()(x, lo, hi, bits)
    scale, first, last = nudge(lo, hi, bits)
    return y, quantiser_mask((x < first - scale / 2), (x > last + scale / 2))


def quantiser_mask(below, above):
    return lambda g: (np.where(below | above, 0.0, g), g[below].sum(), g[above].sum())


def unclamped(x, lo, hi, bits):
    scale, _, _ = nudge(lo, hi, bits)
    return np.floor(x / scale + 0.5) * scale, quantiser()(x, lo, hi, bits)[1]


def numbers_of_levels(x, lo, hi, bits):
    y, pull = quantiser()(x, lo, hi, bits)
    return np.round(y / nudge(lo, hi, bits)[0]), pull


def numbers_from_lowest(x, lo, hi, bits):
    y, pull = numbers_of_levels(x, lo, hi, bits)
    return y - y.min(), pull


def counts(x, lo, hi, bits):
    y, pull = quantiser()(x, lo, hi, bits)
    return y, lambda g: (pull(g)[0], *pull(np.ones_like(g))[1:])


def ones_inside(x, lo, hi, bits):
    y, pull = quantiser()(x, lo, hi, bits)
    return y, lambda g: ((pull(np.ones_like(g))[0]), *pull(g)[1:])


def clamped_to_the_raw_range(x, lo, hi, bits):
    scale = (hi - lo) / (2**bits - 1)
    _, pull = quantiser()(x, lo, hi, bits)
    return np.floor(np.clip(x, lo, hi) / scale + 0.5) * scale, pull


def ends_are_clamped(x, lo, hi, bits):
    y, _ = quantiser()(x, lo, hi, bits)
    first, last = y.min(), y.max()

    def pulled(g):
        low, high = x <= first, x >= last
        return np.where(low | high, 0, g), g[low].sum(), g[high].sum()

    return y, pulled


WRONG = {
    "raw range": ((quantiser(raw=True),), "range-not-nudged"),
    "everything passes": ((quantiser(lambda x, lo, hi, g: g),), "straight-through-everywhere"),
    "everything passes, nothing to the ends": (
        (quantiser(lambda x, lo, hi, g: g, lambda low, high: (0.0, 0.0)),),
        "straight-through-everywhere",
    ),
    "nothing passes": ((quantiser(lambda x, lo, hi, g: 0 * g),), "rounding-kills-the-gradient"),
    "raw mask": ((raw_mask,), "mask-of-the-raw-range"),
    "no min, max": ((quantiser(to_ends=lambda low, high: (0.0, 0.0)),), "min-and-max-get-nothing"),
    "clamped entries counted": ((counts,), "counts-clamped-entries"),
    "swapped": ((quantiser(to_ends=lambda low, high: (high, low)),), "min-and-max-swapped"),
    "mask after rounding": ((nearest_pull,), "mask-of-the-rounded"),
    "not clamped": ((unclamped,), "not-clamped"),
    "level numbers": ((numbers_of_levels,), "gives-the-level-number"),
    "level numbers from 0": ((numbers_from_lowest,), "gives-the-level-number"),
    "ones inside": ((ones_inside,), "ignores-the-cotangent"),
    "ones": ((quantiser(lambda x, lo, hi, g: np.ones_like(g)),), "ignores-the-cotangent"),
    "clamped to lo and hi": ((clamped_to_the_raw_range,), ""),
    "an end is clamped": ((ends_are_clamped,), ""),
}
