"""Wrong answers to floor-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sig(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def soft(x, s, K=5, sg=sig):
    return sum(sg(s * (x - k)) for k in range(1, K + 1))


def naive(z):
    return 1 / (1 + np.exp(-z))


def flipped(z):
    return np.exp(z) / (1 + np.exp(z))


def clipped(z):
    return 1 / (1 + np.exp(-np.clip(z, -20, 20)))


def both(sg, stairs=None):
    return sg, stairs or (lambda x, s, K: soft(x, s, K, sg))


WRONG = {
    "by tanh": ((lambda z: 0.5 * (1 + np.tanh(z / 2)), soft), "tail-cancelled"),
    "1 minus the other side": ((lambda z: 1 - 1 / (1 + np.exp(np.minimum(z, 50))), soft), "tail-cancelled"),
    "1/(1+exp(-z))": (both(naive), "overflows"),
    "exp(z)/(1+exp(z))": (both(flipped), "overflows"),
    "clipped at 20": (both(clipped), "tail-cut-off"),
    "divided by s": (both(sig, lambda x, s, K: soft(x, 1 / s, K)), "divides-by-s"),
    "k from 0": (both(sig, lambda x, s, K: soft(x + 1, s, K)), "counts-from-zero"),
    "range(1, K)": (both(sig, lambda x, s, K: soft(x, s, K - 1)), "one-step-short"),
    "s*x - k": (both(sig, lambda x, s, K: sum(sig(s * x - k) for k in range(1, K + 1))), "s-multiplies-x-only"),
    "sign": (both(lambda z: sig(-z)), "falls-instead-of-rises"),
    "always float64": (both(lambda z: sig(np.asarray(z, np.float64))), "leaves-float32"),
}
