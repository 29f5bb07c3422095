"""Wrong answers to scale-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def adam(w, g, S, lr, b1, b2, eps):
    t = S["t"] + 1
    m, v = b1 * S["m"] + (1 - b1) * g, b2 * S["v"] + (1 - b2) * g**2
    return w - lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps), {"m": m, "v": v, "t": t}


def step(factor=1.0, moved=False, rate=True, as_if=None):
    def decayed_step(w, g, S, lr, b1, b2, eps, decay, decoupled):
        if as_if is not None:
            decoupled = as_if
        if not decoupled:
            return adam(w, g + factor * decay * w, S, lr, b1, b2, eps)
        x, T = adam(w, g, S, lr, b1, b2, eps)
        return x - (lr if rate else 1) * decay * (x if moved else w), T

    return decayed_step


def no_decay(w, g, S, lr, b1, b2, eps, decay, decoupled):
    return adam(w, g, S, lr, b1, b2, eps)


def penalty_added(w, g, S, lr, b1, b2, eps, decay, decoupled):
    if decoupled:
        return step()(w, g, S, lr, b1, b2, eps, decay, decoupled)
    return adam(w, g + decay / 2 * w * w, S, lr, b1, b2, eps)


WRONG = {
    "always L2": ((step(as_if=False),), "decay-as-a-penalty"),
    "always AdamW": ((step(as_if=True),), "penalty-beside-the-step"),
    "no rate": ((step(rate=False),), "decay-without-lr"),
    "moved first": ((step(moved=True),), "decays-the-moved-weight"),
    "2 lambda w": ((step(factor=2.0),), "twice-the-penalty"),
    "half of lambda w": ((step(factor=0.5),), "half-the-penalty"),
    "the penalty itself": ((penalty_added,), "penalty-as-a-gradient"),
    "no decay": ((no_decay,), ""),
}
