"""Wrong answers to custom-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x > 0, 1, e) / (1 + e)


def safe(x, value=None, pull=None):
    y = np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))
    return (y if value is None else value), pull or (lambda g: g * sigmoid(x))


def quiet(f):
    def run(*args):
        with np.errstate(all="ignore"):
            return f(*args)

    return run


def composed(x):
    return safe(x, value=np.log(1 + np.exp(x)))


def without_log1p(x):
    return safe(x, value=np.maximum(x, 0) + np.log(1 + np.exp(-np.abs(x))))


def chain_rule(x):
    return safe(x, pull=lambda g: g * np.exp(x) / (1 + np.exp(x)))


def quiet_chain_rule(x):
    return safe(x, pull=quiet(lambda g: g * np.exp(x) / (1 + np.exp(x))))


def always_double(x):
    y, pull = safe(x.astype(np.float64))
    return y, pull


WRONG = {
    "as it is written": ((composed,), "overflows"),
    "as it is written, warnings off": ((quiet(composed),), "overflows"),
    "log for log1p": ((without_log1p,), "loses-the-tail"),
    "chain rule": ((chain_rule,), "stable-value-unstable-slope"),
    "chain rule, warnings off": ((quiet_chain_rule,), "stable-value-unstable-slope"),
    "no g": ((lambda x: safe(x, pull=lambda g: sigmoid(x)),), "ignores-the-cotangent"),
    "sigmoid(-x)": ((lambda x: safe(x, pull=lambda g: g * sigmoid(-x)),), "slope-of-the-wrong-side"),
    "slope of max(x, 0)": ((lambda x: safe(x, pull=lambda g: g * (x > 0)),), "slope-of-max"),
    "identity": ((lambda x: safe(x, value=x.copy()),), ""),
    "g alone": ((lambda x: safe(x, pull=lambda g: g),), ""),
    "always float64": ((always_double,), ""),
}
