"""Wrong solutions of lesson 06, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sig(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def soft(x, s, K=5, sg=sig):
    return sum(sg(s * (x - k)) for k in range(1, K + 1))


def slope(x, s, K=5):
    return sum(s * sig(s * (x - k)) * sig(-s * (x - k)) for k in range(1, K + 1))


def naive(z):
    return 1 / (1 + np.exp(-z))


def flipped(z):
    return np.exp(z) / (1 + np.exp(z))


def clipped(z):
    return 1 / (1 + np.exp(-np.clip(z, -20, 20)))


def both(sg, stairs=None):
    return sg, stairs or (lambda x, s, K: soft(x, s, K, sg))


def rule(x, s, K):
    return np.clip(np.floor(x), 0, K), lambda g: g * slope(x, s, K)


def back(pull):
    return lambda x, s, K: (rule(x, s, K)[0], pull(x, s, K))


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


def box(x, w):
    def G(z):
        k = np.floor(z)
        return k * (k - 1) / 2 + k * (z - k)

    return (G(x + w / 2) - G(x - w / 2)) / w, (np.floor(x + w / 2) - np.floor(x - w / 2)) / w


def sampled(x, w):
    rng = np.random.default_rng(0)
    return np.floor(x + w * (rng.random((20_000, 1)) - 0.5)).mean(0), box(x, w)[1]


WRONG = {
    "floor-1": {
        "1/(1+exp(-z))": (both(naive), "overflows"),
        "exp(z)/(1+exp(z))": (both(flipped), "overflows"),
        "clipped at 20": (both(clipped), "tail-cut-off"),
        "divided by s": (both(sig, lambda x, s, K: soft(x, 1 / s, K)), "divides-by-s"),
        "k from 0": (both(sig, lambda x, s, K: soft(x + 1, s, K)), "counts-from-zero"),
        "sign": (both(lambda z: sig(-z)), "falls-instead-of-rises"),
        "always float64": (both(lambda z: sig(np.asarray(z, np.float64))), "leaves-float32"),
    },
    "floor-2": {
        "adds a half": ((lambda x, s, K, tol: soft(x, s, K) + 0.5,), "moves-the-value"),
        "x + 1/2": ((lambda x, s, K, tol: soft(x + 0.5, s, K),), "turns-it-into-round"),
        "no shift": ((lambda x, s, K, tol: soft(x, s, K),), "sharper-is-enough"),
        "constant shift .2": ((lambda x, s, K, tol: soft(x + 0.2, s, K),), "shift-does-not-shrink"),
        "hard": ((lambda x, s, K, tol: np.clip(np.floor(x), 0, K),), "hard-floor"),
        "shift to the right": (
            (lambda x, s, K, tol: sum(sig(s * (x - k) - np.log((1 - tol) / tol)) for k in range(1, K + 1)),),
            "",
        ),
    },
    "floor-3": {
        "soft forward": ((lambda x, s, K: (soft(x, s, K), rule(x, s, K)[1]),), "relaxes-the-forward"),
        "zero": ((back(lambda x, s, K: lambda g: 0 * x),), "uses-floor's-own-slope"),
        "None": ((back(lambda x, s, K: lambda g: None),), "no-gradient-at-all"),
        "slope alone": ((back(lambda x, s, K: lambda g: slope(x, s, K)),), "ignores-the-cotangent"),
        "identity": ((back(lambda x, s, K: lambda g: g),), "straight-through"),
        "s forgotten": ((back(lambda x, s, K: lambda g: g * slope(x, s, K) / s),), ""),
    },
    "floor-4": {
        "quadrature": ((spike, area_grid), "quadrature-misses-the-spike"),
        "finer sum": ((spike, area_fine_grid), "quadrature-misses-the-spike"),
        "height s": ((lambda s: (s, *spike(s)[1:]), area), "height-is-s"),
        "width 1/s": ((lambda s: (s / 4, 1 / s, 1.0), area), "width-is-1/s"),
        "area s/4": ((lambda s: (*spike(s)[:2], s / 4), area), "area-grows-with-s"),
        "area h*w": (
            (lambda s: (*spike(s)[:2], spike(s)[0] * spike(s)[1]), area),
            "area-is-height-times-width",
        ),
        "area 1/s": ((lambda s: (*spike(s)[:2], 1 / s), area), "area-vanishes"),
    },
    "floor-5": {
        "constant 4": ((lambda i, n: 4.0 + 0 * i,), "never-sharpens"),
        "constant 50": ((lambda i, n: 50.0 + 0 * i,), "starts-sharp"),
        "constant 1": ((lambda i, n: 1.0 + 0 * i,), "never-sharpens"),
        "20 to 1": ((lambda i, n: 20 * (1 / 20) ** (i / (n - 1)),), "anneals-backwards"),
        "sharp after two steps": ((lambda i, n: 1.0 if i < 2 else 50.0,), "sharpens-too-soon"),
        "zero": ((lambda i, n: 0.0 * i,), ""),
    },
    "floor-6": {
        "mean of samples": ((sampled,), "samples"),
        "slope 0": ((lambda x, w: (box(x, w)[0], 0 * x),), "slope-of-floor-inside"),
        "slope 1": ((lambda x, w: (box(x, w)[0], 0 * x + 1),), "one-everywhere"),
        "count of jumps": ((lambda x, w: (box(x, w)[0], w * box(x, w)[1]),), "window-not-divided-out"),
        "floor itself": ((lambda x, w: (np.floor(x), box(x, w)[1]),), "not-averaged"),
    },
}
