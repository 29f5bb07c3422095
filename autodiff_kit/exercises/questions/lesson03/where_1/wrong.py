"""Wrong answers to where-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

import autodiff_kit as ak


def right(name, x, shift=0.0, low=None, otherwise=0.0):
    inside = ak.where(x > 0, x, 1.0) + shift
    if low is not None:
        inside = ak.maximum(inside, low)
    return ak.where(x > 0, getattr(ak, name)(inside), otherwise)


def outside(name, x):
    return ak.where(x > 0, getattr(ak, name)(x), 0.0)


def times(name, x):
    return getattr(ak, name)(x) * ak.cast(x > 0, x.dtype)


def detached(name, x):
    return right(name, ak.constant(x.numpy()))


def stopped(name, x):
    return right(name, ak.stop_gradient(x)) + 0.0 * x


def double(name, x):
    return ak.cast(right(name, ak.cast(x, np.float64)), np.float64)


def of_the_size(name, x):
    return ak.where(x > 0, getattr(ak, name)(ak.abs(x)), 0.0)


def outside_and_eps(name, x):
    return ak.where(x > 0, getattr(ak, name)(x + 1e-7), 0.0)


def outside_and_larger_eps(name, x):
    return ak.where(x > 0, getattr(ak, name)(x + 1e-3), 0.0)


def above_a_limit(name, x):
    return ak.where(x > 0, getattr(ak, name)(ak.maximum(x, 1e-12)), 0.0)


def input_only(name, x):
    return getattr(ak, name)(ak.where(x > 0, x, 1.0))


def from_zero(name, x):
    return ak.where(x >= 0, getattr(ak, name)(ak.where(x >= 0, x, 1.0)), 0.0)


def outside_from_zero(name, x):
    return ak.where(x >= 0, getattr(ak, name)(x), 0.0)


def zeros_from_numpy(name, x):
    return ak.where(x > 0, getattr(ak, name)(ak.where(x > 0, x, 1.0)), np.zeros(x.shape))


WRONG = {
    "outer where": ((outside,), "where-only-outside"),
    "of the absolute value": ((of_the_size,), "where-only-outside"),
    "outer where and eps": ((outside_and_eps,), "adds-eps and where-only-outside"),
    "outer where and larger eps": ((outside_and_larger_eps,), "adds-eps and where-only-outside"),
    "times the mask": ((times,), "value-already-nan"),
    "eps": ((lambda n, x: right(n, x, shift=1e-7),), "adds-eps"),
    "larger eps": ((lambda n, x: right(n, x, shift=1e-3),), "adds-eps"),
    "kept above": ((lambda n, x: right(n, x, low=1e-4),), "adds-eps"),
    "kept above 1e-12": ((above_a_limit,), "adds-eps"),
    "input only": ((input_only,), "chooses-only-the-input"),
    "input only, 0 elsewhere": (
        (lambda n, x: getattr(ak, n)(ak.where(x > 0, x, 0.0)),),
        "chooses-only-the-input",
    ),
    "x >= 0": ((from_zero,), "zero-included"),
    "x >= 0, outside only": ((outside_from_zero,), "zero-included and where-only-outside"),
    "detached": ((detached,), "cuts-the-gradient"),
    "stopped": ((stopped,), "cuts-the-gradient"),
    "1 elsewhere": ((lambda n, x: right(n, x, otherwise=1.0),), ""),
    "no choice": ((lambda n, x: getattr(ak, n)(x),), ""),
    "always float64": ((double,), "constant-of-another-dtype"),
    "zeros from NumPy": ((zeros_from_numpy,), "constant-of-another-dtype"),
}
