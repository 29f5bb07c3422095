"""Wrong answers to stop-2, each with the misconception that it must be told; an empty name asks for the plain message."""

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


WRONG = {
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
}
