"""Wrong answers to floor-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sig(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def soft(x, s, K=5, sg=sig):
    return sum(sg(s * (x - k)) for k in range(1, K + 1))


WRONG = {
    "adds a half": ((lambda x, s, K, tol: soft(x, s, K) + 0.5,), "moves-the-value"),
    "x + 1/2": ((lambda x, s, K, tol: soft(x + 0.5, s, K),), "turns-it-into-round"),
    "no shift": ((lambda x, s, K, tol: soft(x, s, K),), "sharper-is-enough"),
    "1000 times sharper": ((lambda x, s, K, tol: soft(x, 1000 * s, K),), "sharper-is-enough"),
    "sharper by tol": ((lambda x, s, K, tol: soft(x, s / tol, K),), "sharper-is-enough"),
    "constant shift .2": ((lambda x, s, K, tol: soft(x + 0.2, s, K),), "shift-does-not-shrink"),
    "early by tol": ((lambda x, s, K, tol: soft(x + tol, s, K),), "shift-does-not-shrink"),
    "late by tol": ((lambda x, s, K, tol: soft(x - tol, s, K),), "shifts-the-wrong-way"),
    "early by 1/s": ((lambda x, s, K, tol: soft(x + 1 / s, s, K),), "shift-too-small"),
    "six times too early": ((lambda x, s, K, tol: soft(x + 6 * np.log(1 / tol) / s, s, K),), "begins-too-early"),
    "late by ln(1/tol)/s": ((lambda x, s, K, tol: soft(x + np.log(tol) / s, s, K),), "shifts-the-wrong-way"),
    "hard": ((lambda x, s, K, tol: np.clip(np.floor(x), 0, K),), "hard-floor"),
    "hard, and early": (
        (lambda x, s, K, tol: np.clip(np.floor(x + np.log(1 / tol) / s), 0, K),),
        "hard-floor",
    ),
    "one step more": (
        (lambda x, s, K, tol: sum(sig(s * (x - k) + np.log((1 - tol) / tol)) for k in range(1, K + 2)),),
        "",
    ),
    "the sigmoid jumps": (
        (lambda x, s, K, tol: soft(x + np.log((1 - tol) / tol) / s, s, K, lambda z: np.where(z >= 0, 1, sig(z))),),
        "",
    ),
    "adds a quarter": ((lambda x, s, K, tol: soft(x, s, K) + 0.25,), ""),
    "shift to the right": (
        (lambda x, s, K, tol: sum(sig(s * (x - k) - np.log((1 - tol) / tol)) for k in range(1, K + 1)),),
        "shifts-the-wrong-way",
    ),
}
