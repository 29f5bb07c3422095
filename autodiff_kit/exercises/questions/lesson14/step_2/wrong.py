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


def next_one(S, g, kind, lr, b1, b2, eps, ahead=1):
    """The step that comes next if the gradient stays."""
    if kind == "momentum":
        return -lr * (b1 * S["momentum"] + g)
    if kind == "rmsprop":
        r = b2 * S["rms"] + (1 - b2) * g * g
        return -(b1 * S["momentum"] + lr * g / (np.sqrt(r) + eps))
    S = {"m": b1 * S["m"] + (1 - b1) * g, "v": b2 * S["v"] + (1 - b2) * g * g, "t": S["t"] + ahead}
    return last(S, g, kind, lr, b1, b2, eps)


def next_of_momentum(S, g, kind, lr, b1, b2, eps):
    """Only the slot of plain momentum is moved on."""
    return (next_one if kind == "momentum" else last)(S, g, kind, lr, b1, b2, eps)


def first_slot(S, g, kind, lr, b1, b2, eps):
    """The mean of gradients alone, with the rate."""
    return -lr * (S["m"] if kind == "adam" else S["momentum"])


def by_keywords(f):
    return lambda slots, gradient, kind, lr, b1, b2, eps: f(slots, gradient, kind, lr, b1, b2, eps)


WRONG = {
    "-lr g": ((from_the_gradient,), "uses-the-gradient"),
    "g for the slot": ((gradient_for_slot,), "gradient-in-place-of-the-slot"),
    "t + 1": ((one_ahead,), "t-is-one-ahead"),
    "sign": ((by_keywords(added),), "sign"),
    "rate twice": ((rate_again,), "rate-twice"),
    "no correction": ((uncorrected,), "no-bias-correction"),
    "the next step": ((by_keywords(next_one),), "one-step-too-many"),
    "momentum's next step": ((by_keywords(next_of_momentum),), "one-step-too-many"),
    "the next step, same t": ((by_keywords(lambda *args: next_one(*args, ahead=0)),), "one-step-too-many"),
    "the first slot": ((first_slot,), ""),
}
