"""Wrong answers to adam-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def moves(G, kind, lr, b1, b2, eps, zero_is_none=False, none_is_zero=False):
    m = v = real = ghost = 0.0
    t = 0
    for g in G:
        if g is None and none_is_zero:
            g = 0.0
        if g is None or (zero_is_none and g == 0):
            continue
        t += 1
        if kind == "sgd":
            d = -lr * g
        elif kind == "momentum":
            m = b1 * m + g
            d = -lr * m
        elif kind == "rmsprop":
            v = b1 * v + (1 - b1) * g * g
            d = -lr * g / (np.sqrt(v) + eps)
        else:
            m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
            d = -lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
        real, ghost = (real, ghost + d) if g == 0 else (real + d, ghost)
    return real, ghost


def moves_swapped(G, kind, **H):
    return moves(G, {"momentum": "rmsprop", "rmsprop": "momentum"}.get(kind, kind), **H)


def uncorrected(G, kind, lr, b1, b2, eps):
    if kind != "adam":
        return moves(G, kind, lr, b1, b2, eps)
    m = v = 0.0
    sums = [0.0, 0.0]
    for g in G:
        if g is not None:
            m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
            sums[g == 0] -= lr * m / (np.sqrt(v) + eps)
    return tuple(sums)


def rmsprop_by_b2(G, kind, lr, b1, b2, eps):
    return moves(G, kind, lr, b2 if kind == "rmsprop" else b1, b2, eps)


def by_size(G, kind, limit, **H):
    """Each move goes by the size of its gradient."""
    real, ghost = 0.0, 0.0
    for k, g in enumerate(G):
        if g is not None:
            move = sum(moves(G[: k + 1], kind, **H)) - sum(moves(G[:k], kind, **H))
            real, ghost = (real, ghost + move) if abs(g) < limit else (real + move, ghost)
    return real, ghost


def none_makes_t_larger(G, kind, lr, b1, b2, eps):
    if kind != "adam":
        return moves(G, kind, lr, b1, b2, eps)
    m = v = 0.0
    sums = [0.0, 0.0]
    for t, g in enumerate(G, 1):
        if g is not None:
            m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
            sums[g == 0] -= lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    return tuple(sums)


WRONG = {
    "zero is None": (
        (lambda G, k, **H: moves(G, k, **H, zero_is_none=True),),
        "zero-gradient-means-still",
    ),
    "None is zero": ((lambda G, k, **H: moves(G, k, **H, none_is_zero=True),), "None-taken-for-zero"),
    "v drifts, m stops": ((moves_swapped,), "blames-the-adaptivity"),
    "no ghost": ((lambda G, k, **H: (sum(moves(G, k, **H)), 0.0),), "all-motion-is-real"),
    "ghost is 0": ((lambda G, k, **H: (moves(G, k, **H)[0], 0.0),), "ghost-is-zero"),
    "no correction": ((uncorrected,), "no-bias-correction"),
    "ghost first": ((lambda G, k, **H: moves(G, k, **H)[::-1],), "real-and-ghost-swapped"),
    "b2 for rmsprop": ((rmsprop_by_b2,), "b2-for-rmsprop"),
    "small is zero": ((lambda G, k, **H: by_size(G, k, 1e-8, **H),), "small-is-zero"),
    "isclose": ((lambda G, k, **H: by_size(G, k, 1e-9, **H),), "small-is-zero"),
    "t counts None": ((none_makes_t_larger,), "None-counts-as-a-step"),
    "signs": ((lambda G, k, **H: tuple(-x for x in moves(G, k, **H)),), ""),
}
