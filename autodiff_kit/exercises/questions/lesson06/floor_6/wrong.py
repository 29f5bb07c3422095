"""Wrong answers to floor-6, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def box(x, w):
    def G(z):
        k = np.floor(z)
        return k * (k - 1) / 2 + k * (z - k)

    return (G(x + w / 2) - G(x - w / 2)) / w, (np.floor(x + w / 2) - np.floor(x - w / 2)) / w


def sampled(x, w):
    rng = np.random.default_rng(0)
    return np.floor(x + w * (rng.random((20_000, 1)) - 0.5)).mean(0), box(x, w)[1]


def box_trunc(x, w):
    def G(z):
        k = np.trunc(z)
        return k * z - k * (k + np.sign(z)) / 2

    return (G(x + w / 2) - G(x - w / 2)) / w, (np.trunc(x + w / 2) - np.trunc(x - w / 2)) / w


WRONG = {
    "trunc": ((box_trunc,), "rounds-toward-zero"),
    "trunc in the slope": ((lambda x, w: (box(x, w)[0], box_trunc(x, w)[1]),), "rounds-toward-zero"),
    "window of 2w": ((lambda x, w: box(x, 2 * w),), "twice-the-window"),
    "slope over w twice": ((lambda x, w: (box(x, w)[0], box(x, w)[1] / w),), "divided-twice"),
    "mean of samples": ((sampled,), "samples"),
    "window to the right": ((lambda x, w: box(x + w / 2, w),), "window-on-one-side"),
    "x - 1/2": ((lambda x, w: (x - 0.5, box(x, w)[1]),), "right-for-whole-widths"),
    "x - 1/2, slope 1": ((lambda x, w: (x - 0.5, 0 * x + 1),), "right-for-whole-widths and one-everywhere"),
    "slope 0": ((lambda x, w: (box(x, w)[0], 0 * x),), "slope-of-floor-inside"),
    "slope 1": ((lambda x, w: (box(x, w)[0], 0 * x + 1),), "one-everywhere"),
    "count of jumps": ((lambda x, w: (box(x, w)[0], w * box(x, w)[1]),), "window-not-divided-out"),
    "mean of both ends": (
        (lambda x, w: ((np.floor(x - w / 2) + np.floor(x + w / 2)) / 2, box(x, w)[1]),),
        "mean-of-the-ends",
    ),
    "area": ((lambda x, w: (w * box(x, w)[0], box(x, w)[1]),), "sum-over-the-window"),
    "nothing divided": (
        (lambda x, w: (w * box(x, w)[0], w * box(x, w)[1]),),
        "sum-over-the-window and window-not-divided-out",
    ),
    "floor itself": ((lambda x, w: (np.floor(x), box(x, w)[1]),), "not-averaged"),
}
