"""Wrong answers to step-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def last(S, g, kind, lr, b1, b2, eps, ahead=0):
    if kind == "momentum":
        return -lr * S["momentum"]
    if kind == "rmsprop":
        return -S["momentum"]
    t = S["t"] + ahead
    return -lr * (S["m"] / (1 - b1**t)) / (np.sqrt(S["v"] / (1 - b2**t)) + eps)


def from_the_gradient(S, g, kind, lr, b1, b2, eps):
    return -lr * g


def one_ahead(S, g, kind, lr, b1, b2, eps):
    return last(S, g, kind, lr, b1, b2, eps, ahead=1)


def added(*args):
    return -last(*args)


def rate_again(S, g, kind, lr, b1, b2, eps):
    return last(S, g, kind, lr, b1, b2, eps) * (lr if kind == "rmsprop" else 1)


def uncorrected(S, g, kind, lr, b1, b2, eps):
    if kind != "adam":
        return last(S, g, kind, lr, b1, b2, eps)
    return -lr * S["m"] / (np.sqrt(S["v"]) + eps)


def gradient_for_slot(S, g, kind, lr, b1, b2, eps):
    if kind == "momentum":
        return -lr * g
    if kind == "rmsprop":
        return -lr * g / (np.sqrt(S["rms"]) + eps)
    return -lr * g / (np.sqrt(S["v"] / (1 - b2 ** S["t"])) + eps)


def next_one(S, g, kind, lr, b1, b2, eps):
    """The step that comes next if the gradient stays."""
    if kind != "momentum":
        return last(S, g, kind, lr, b1, b2, eps)
    return -lr * (b1 * S["momentum"] + g)


def by_keywords(f):
    return lambda slots, gradient, kind, lr, b1, b2, eps: f(slots, gradient, kind, lr, b1, b2, eps)


WRONG = {
    "-lr g": ((from_the_gradient,), "uses-the-gradient"),
    "g for the slot": ((gradient_for_slot,), "gradient-in-place-of-the-slot"),
    "t + 1": ((one_ahead,), "t-is-one-ahead"),
    "sign": ((by_keywords(added),), "sign"),
    "rate twice": ((rate_again,), "rate-twice"),
    "no correction": ((uncorrected,), "no-bias-correction"),
    "the next step": ((next_one,), ""),
}
