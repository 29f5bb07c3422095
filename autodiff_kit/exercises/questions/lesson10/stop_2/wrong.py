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


def with_moments(mean, spread):
    """A normalisation from another mean or another spread, with the stop in the right place."""
    return lambda x, stop: (x - mean(x)) / spread(x, stop(mean(x)))


def row_mean(x):
    return ak.mean(x, axis=-1, keepdims=True)


def row_variance(x, mu):
    return ak.mean((x - mu) ** 2, axis=-1, keepdims=True)


def one_mean_stopped(x, stop):
    mu = stop(row_mean(x))
    return (x - mu) / ak.sqrt(row_variance(x, mu) + 1e-5)


def not_used(x, stop):
    stop(row_mean(x))
    return normed(x)


WRONG = {
    "no axis": (
        (with_moments(ak.mean, lambda x, mu: ak.sqrt(ak.mean((x - mu) ** 2) + 1e-5)),),
        "normalises-over-all-rows",
    ),
    "n - 1": (
        (with_moments(row_mean, lambda x, mu: ak.sqrt(row_variance(x, mu) * x.shape[-1] / (x.shape[-1] - 1) + 1e-5)),),
        "divides-by-n-minus-1",
    ),
    "epsilon outside": (
        (with_moments(row_mean, lambda x, mu: ak.sqrt(row_variance(x, mu)) + 1e-5),),
        "epsilon-outside-the-root",
    ),
    "no root": ((with_moments(row_mean, lambda x, mu: row_variance(x, mu) + 1e-5),), "divides-by-the-variance"),
    "numerator too": ((lambda x, stop: normed(x, above=stop),), "stops-the-mean-above-too"),
    "every mean": ((lambda x, stop: normed(x, above=stop, inside=stop),), "stops-every-mean"),
    "one stopped mean in both places": ((one_mean_stopped,), "stops-the-mean-above-too"),
    "a result that is not used": ((not_used,), "stop-not-used"),
    "no epsilon": ((with_moments(row_mean, lambda x, mu: ak.sqrt(row_variance(x, mu))),), "forgets-epsilon"),
    "variance": ((lambda x, stop: normed(x, variance=stop),), "stops-the-variance"),
    "both": ((lambda x, stop: normed(x, above=stop, variance=stop),), "stops-both"),
    "none": ((lambda x, stop: normed(x),), "no-stop-at-all"),
    "the op itself": ((lambda x, stop: normed(x, inside=ak.stop_gradient),), "no-stop-at-all"),
    "two": ((lambda x, stop: normed(x, inside=lambda mu: stop(stop(mu))),), ""),
    "something else": ((stopped_constant,), ""),
    "everything": ((nothing_left,), ""),
    "another epsilon": ((other_epsilon,), ""),
}
