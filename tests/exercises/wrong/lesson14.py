"""Wrong solutions of lesson 14, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def right_steps(G, kind, lr, b):
    v, found = 0.0, []
    for g in G:
        v = b * v + (1 - b) * g * g if kind == "rmsprop" else b * v - lr * g
        ahead = b * v - lr * g if kind == "nesterov" else v
        found.append(-lr * g / np.sqrt(v) if kind == "rmsprop" else ahead)
    return np.array(found)


def plain_sgd(G, kind, lr, b):
    return -lr * G


def positions(G, kind, lr, b):
    return np.cumsum(right_steps(G, kind, lr, b))


def averaged(G, kind, lr, b):
    return right_steps(G, kind, lr, b) * ((1 - b) if kind == "momentum" else 1)


def no_look_ahead(G, kind, lr, b):
    return right_steps(G, "momentum" if kind == "nesterov" else kind, lr, b)


def uphill(G, kind, lr, b):
    return -right_steps(G, kind, lr, b)


def starts_full(G, kind, lr, b):
    """The rms slot starts at 1."""
    if kind != "rmsprop":
        return right_steps(G, kind, lr, b)
    s, found = 1.0, []
    for g in G:
        s = b * s + (1 - b) * g * g
        found.append(-lr * g / np.sqrt(s))
    return np.array(found)


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


def next_one(S, g, kind, lr, b1, b2, eps):
    """The step that comes next if the gradient stays."""
    if kind != "momentum":
        return last(S, g, kind, lr, b1, b2, eps)
    return -lr * (b1 * S["momentum"] + g)


def by_keywords(f):
    return lambda slots, gradient, kind, lr, b1, b2, eps: f(slots, gradient, kind, lr, b1, b2, eps)


WRONG = {
    "step-1": {
        "-lr g": ((plain_sgd,), "step-is-the-gradient"),
        "positions": ((positions,), "positions-not-steps"),
        "averages": ((averaged,), "averages-instead-of-adding"),
        "no look ahead": ((no_look_ahead,), "nesterov-is-momentum"),
        "uphill": ((uphill,), ""),
        "rms from 1": ((starts_full,), ""),
    },
    "step-2": {
        "-lr g": ((from_the_gradient,), "uses-the-gradient"),
        "t + 1": ((one_ahead,), "t-is-one-ahead"),
        "sign": ((by_keywords(added),), "sign"),
        "rate twice": ((rate_again,), "rate-twice"),
        "no correction": ((uncorrected,), ""),
        "the next step": ((next_one,), ""),
    },
    "step-3": {
        "-d1/lr": ((lambda d0, d1, lr, b: -d1 / lr,), "step-is-the-gradient"),
        "no b": ((lambda d0, d1, lr, b: (d0 - d1) / lr,), "difference-of-steps"),
        "sign": ((lambda d0, d1, lr, b: (d1 - b * d0) / lr,), "sign"),
        "no lr": ((lambda d0, d1, lr, b: b * d0 - d1,), "forgets-the-rate"),
        "times lr": ((lambda d0, d1, lr, b: (b * d0 - d1) * lr,), ""),
    },
}
