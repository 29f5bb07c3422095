"""Wrong answers to quant-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def nudge(lo, hi, bits, steps=None, rounded=lambda place: np.floor(place + 0.5), kept=True):
    steps = steps or 2**bits - 1
    scale = (hi - lo) / steps
    place = rounded(-lo / scale)
    place = np.clip(place, 0, steps) if kept else place
    return scale, -place * scale, (steps - place) * scale


def one_gap_less(lo, hi, bits):
    scale, first, last = nudge(lo, hi, bits, steps=2**bits)
    return scale, first, last - scale


def high_end_only(lo, hi, bits):
    scale, _, last = nudge(lo, hi, bits)
    return scale, lo, last


WRONG = {
    "raw": ((lambda lo, hi, b: ((hi - lo) / (2**b - 1), lo, hi),), "range-not-nudged"),
    "2**b": ((lambda lo, hi, b: nudge(lo, hi, b, steps=2**b),), "scale-by-2-to-the-bits"),
    "2**b, one gap left out": ((one_gap_less,), "scale-by-2-to-the-bits"),
    "low end only": ((lambda lo, hi, b: (*nudge(lo, hi, b)[:2], hi),), "nudges-one-end"),
    "high end only": ((high_end_only,), "nudges-one-end"),
    "rounded up": ((lambda lo, hi, b: nudge(lo, hi, b, rounded=np.ceil),), "rounds-one-way-only"),
    "rounded down": ((lambda lo, hi, b: nudge(lo, hi, b, rounded=np.floor),), "rounds-one-way-only"),
    "0 may lie outside": ((lambda lo, hi, b: nudge(lo, hi, b, kept=False),), "zero-outside-not-handled"),
    "0 put into the range": ((lambda lo, hi, b: nudge(min(lo, 0.0), max(hi, 0.0), b),), "extends-the-range"),
    "one bit less": ((lambda lo, hi, b: nudge(lo, hi, b - 1),), ""),
}
