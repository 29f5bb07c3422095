"""Wrong answers to step-1, each with the misconception that it must be told; an empty name asks for the plain message."""

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


def averaged_look_ahead(G, kind, lr, b):
    if kind == "rmsprop":
        return right_steps(G, kind, lr, b)
    u, found = 0.0, []
    for g in G:
        u = b * u + (1 - b) * g
        found.append(-lr * (g + b * u) if kind == "nesterov" else -lr * u)
    return np.array(found)


def still_at_zero(G, kind, lr, b):
    return np.where(G == 0, 0.0, right_steps(G, kind, lr, b))


def skips_zeros(G, kind, lr, b):
    steps = np.zeros(len(G))
    steps[G != 0] = right_steps(G[G != 0], kind, lr, b)
    return steps


def drops_zeros(G, kind, lr, b):
    return right_steps([g for g in G if g != 0], kind, lr, b)


def starts_full(G, kind, lr, b):
    """The rms slot starts at 1."""
    if kind != "rmsprop":
        return right_steps(G, kind, lr, b)
    s, found = 1.0, []
    for g in G:
        s = b * s + (1 - b) * g * g
        found.append(-lr * g / np.sqrt(s))
    return np.array(found)


WRONG = {
    "-lr g": ((plain_sgd,), "step-is-the-gradient"),
    "positions": ((positions,), "positions-not-steps"),
    "averages": ((averaged,), "averages-instead-of-adding"),
    "no look ahead": ((no_look_ahead,), "nesterov-is-momentum"),
    "averages, nesterov too": ((averaged_look_ahead,), "averages-instead-of-adding"),
    "0 where g is 0": ((still_at_zero,), "no-step-at-zero"),
    "slot kept where g is 0": ((skips_zeros,), "zeros-left-out"),
    "zeros dropped": ((drops_zeros,), "zeros-left-out"),
    "uphill": ((uphill,), "uphill"),
    "rms from 1": ((starts_full,), ""),
}
