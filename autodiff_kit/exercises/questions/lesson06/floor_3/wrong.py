"""Wrong answers to floor-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sig(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def soft(x, s, K=5, sg=sig):
    return sum(sg(s * (x - k)) for k in range(1, K + 1))


def slope(x, s, K=5):
    return sum(s * sig(s * (x - k)) * sig(-s * (x - k)) for k in range(1, K + 1))


def rule(x, s, K):
    return np.clip(np.floor(x), 0, K), lambda g: g * slope(x, s, K)


def back(pull):
    return lambda x, s, K: (rule(x, s, K)[0], pull(x, s, K))


def stairs_slope(x, s, K):
    e = lambda z: 1 / (1 + np.exp(-np.clip(z, -80, 80)))
    return sum(s * e(s * (x - k)) * e(-s * (x - k)) for k in range(1, K + 1)).astype(x.dtype)


WRONG = {
    "round": ((lambda x, s, K: (np.clip(np.round(x), 0, K), lambda g: g * stairs_slope(x, s, K)),), "rounds"),
    "s twice": (
        (lambda x, s, K: (np.clip(np.floor(x), 0, K), lambda g: g * s * stairs_slope(x, s, K)),),
        "sharpness-twice",
    ),
    "plus": (
        (lambda x, s, K: (np.clip(np.floor(x), 0, K), lambda g: g + stairs_slope(x, s, K)),),
        "adds-the-cotangent",
    ),
    "soft forward": ((lambda x, s, K: (soft(x, s, K), rule(x, s, K)[1]),), "relaxes-the-forward"),
    "no clip": ((lambda x, s, K: (np.floor(x), rule(x, s, K)[1]),), "not-clipped"),
    "float64": (
        (lambda x, s, K: (rule(x, s, K)[0].astype(float), lambda g: rule(x, s, K)[1](g.astype(float))),),
        "changes-the-dtype",
    ),
    "identity, float64 value": (
        (lambda x, s, K: (rule(x, s, K)[0].astype(float), lambda g: g),),
        "straight-through and changes-the-dtype",
    ),
    "zero": ((back(lambda x, s, K: lambda g: 0 * x),), "uses-floor's-own-slope"),
    "None": ((back(lambda x, s, K: lambda g: None),), "no-gradient-at-all"),
    "slope alone": ((back(lambda x, s, K: lambda g: slope(x, s, K)),), "ignores-the-cotangent"),
    "identity": ((back(lambda x, s, K: lambda g: g),), "straight-through"),
    "s forgotten": ((back(lambda x, s, K: lambda g: g * slope(x, s, K) / s),), "forgets-the-sharpness"),
    "steps from 0": ((back(lambda x, s, K: lambda g: g * slope(x + 1, s, K)),), ""),
}
