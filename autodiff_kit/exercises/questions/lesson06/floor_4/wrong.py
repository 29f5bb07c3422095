"""Wrong answers to floor-4, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sig(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def soft(x, s, K=5, sg=sig):
    return sum(sg(s * (x - k)) for k in range(1, K + 1))


def slope(x, s, K=5):
    return sum(s * sig(s * (x - k)) * sig(-s * (x - k)) for k in range(1, K + 1))


def spike(s):
    return s / 4, 4 * np.arctanh(np.sqrt(0.5)) / s, 1.0


def area(s, a, b, K):
    return float(soft(np.float64(b), s, K) - soft(np.float64(a), s, K))


def area_grid(s, a, b, K):
    g = np.linspace(a, b, 1001)
    return float(np.trapezoid(slope(g, s, K), g))


def area_fine_grid(s, a, b, K):
    g = np.linspace(a, b, 20_000)
    return float(np.sum(slope(g, s, K)) * (g[1] - g[0]))


WRONG = {
    "height 1/4": ((lambda s: (0.25, *spike(s)[1:]), area), "height-without-s"),
    "height s/2": ((lambda s: (s / 2, *spike(s)[1:]), area), "height-is-half-of-s"),
    "width of s = 1": ((lambda s: (s / 4, spike(1.0)[1], 1.0), area), "width-without-s"),
    "width 4/s": ((lambda s: (s / 4, 4 / s, 1.0), area), "width-by-the-height"),
    "width from 1/4 to 3/4": ((lambda s: (s / 4, 2 * np.log(3) / s, 1.0), area), "width-of-the-step"),
    "b before a": ((spike, lambda s, a, b, K: area(s, b, a, K)), "area-negative"),
    "b - a": ((spike, lambda s, a, b, K: b - a), "width-of-the-window"),
    "difference of slopes": (
        (spike, lambda s, a, b, K: float(slope(np.float64(b), s, K) - slope(np.float64(a), s, K))),
        "slopes-subtracted",
    ),
    "quadrature": ((spike, area_grid), "quadrature-misses-the-spike"),
    "finer sum": ((spike, area_fine_grid), "quadrature-misses-the-spike"),
    "jumps counted": ((spike, lambda s, a, b, K: np.floor(b) - np.floor(a)), "area-of-the-hard-floor"),
    "height s": ((lambda s: (s, *spike(s)[1:]), area), "height-is-s"),
    "half of the width": ((lambda s: (s / 4, spike(s)[1] / 2, 1.0), area), "half-the-width"),
    "width 1/s": ((lambda s: (s / 4, 1 / s, 1.0), area), "width-is-1/s"),
    "area s/4": ((lambda s: (*spike(s)[:2], s / 4), area), "area-grows-with-s"),
    "area h*w": (
        (lambda s: (*spike(s)[:2], spike(s)[0] * spike(s)[1]), area),
        "area-is-height-times-width",
    ),
    "area 1/s": ((lambda s: (*spike(s)[:2], 1 / s), area), "area-vanishes"),
}
