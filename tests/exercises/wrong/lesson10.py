"""Wrong solutions of lesson 10, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def normed(x, above=lambda v: v, inside=lambda v: v, variance=lambda v: v):
    mu = ak.mean(x, axis=-1, keepdims=True)
    var = variance(ak.mean((x - inside(mu)) ** 2, axis=-1, keepdims=True))
    return (x - above(mu)) / ak.sqrt(var + 1e-5)


def nothing_left(x, stop):
    return stop(normed(x))


def stopped_constant(x, stop):
    stop(np.zeros(3))
    return normed(x)


def other_epsilon(x, stop):
    mu = ak.mean(x, axis=-1, keepdims=True)
    return (x - mu) / ak.sqrt(ak.mean((x - stop(mu)) ** 2, axis=-1, keepdims=True) + 1e-2)


def agreeing(pairs, points, close=lambda p, q: np.allclose(p, q, atol=1e-9)):
    return {
        name
        for name, (f, g) in pairs.items()
        if all(close(ak.grad(f)(x).numpy(), ak.grad(g)(x).numpy()) for x in points)
    }


SYMMETRIC = np.array([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0])

WRONG = {
    "stop-1": {
        "M W": ((lambda W, M: M * W,), "masks-the-value-too"),
        "(1 - M) W": ((lambda W, M: (1 - M) * W,), "masks-the-other-way"),
        "no stop": ((lambda W, M: M * W + (1 - M) * W,), "stops-nothing"),
        "other half": ((lambda W, M: ak.stop_gradient(M * W) + (1 - M) * W,), "stops-the-wrong-half"),
        "both": ((lambda W, M: ak.stop_gradient(W),), "stops-everything"),
        "both, and a zero": ((lambda W, M: ak.stop_gradient(W) + 0.0 * W,), "stops-everything"),
        "as numbers": ((lambda W, M: W.numpy(),), "stops-everything"),
        "twice": ((lambda W, M: 2 * M * W + ak.stop_gradient((1 - 2 * M) * W),), ""),
    },
    "stop-2": {
        "numerator too": ((lambda x, stop: normed(x, above=stop),), "stops-the-mean-above-too"),
        "every mean": ((lambda x, stop: normed(x, above=stop, inside=stop),), "stops-the-mean-above-too"),
        "variance": ((lambda x, stop: normed(x, variance=stop),), "stops-the-variance"),
        "both": ((lambda x, stop: normed(x, above=stop, variance=stop),), "stops-both"),
        "none": ((lambda x, stop: normed(x),), "no-stop-at-all"),
        "the op itself": ((lambda x, stop: normed(x, inside=ak.stop_gradient),), "no-stop-at-all"),
        "two": ((lambda x, stop: normed(x, inside=lambda mu: stop(stop(mu))),), ""),
        "something else": ((stopped_constant,), ""),
        "everything": ((nothing_left,), ""),
        "another epsilon": ((other_epsilon,), ""),
    },
    "stop-3": {
        "none": ((lambda pairs, rng: set(),), "all-stops-matter"),
        "all": ((lambda pairs, rng: set(pairs),), "none-matter"),
        "symmetric x": ((lambda pairs, rng: agreeing(pairs, [SYMMETRIC]),), "one-point-is-proof"),
        "values": (
            (lambda pairs, rng: {n for n, (f, g) in pairs.items() if float(f(SYMMETRIC)) == float(g(SYMMETRIC))},),
            "none-matter",
        ),
        "guessed letters": ((lambda pairs, rng: {"A", "B", "Z"},), ""),
        "at zero": ((lambda pairs, rng: agreeing(pairs, [np.zeros(6)]),), ""),
    },
}
