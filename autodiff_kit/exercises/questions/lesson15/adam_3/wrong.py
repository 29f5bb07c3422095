"""Wrong answers to adam-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np

from ..adam_1.solution import adam_step


def fz_zero(w, g, S, mask, **H):
    return adam_step(w, np.where(mask, 0, g), S, **H)


def fz_step(w, g, S, mask, **H):
    x, T = adam_step(w, np.where(mask, 0, g), S, **H)
    return np.where(mask, w, x), T


def fz_value(w, g, S, mask, **H):
    x, T = adam_step(w, g, S, **H)
    return np.where(mask, w, x), T


def fz_right(w, g, S, mask, **H):
    x, T = adam_step(w, g, S, **H)
    return np.where(mask, w, x), {
        "m": np.where(mask, S["m"], T["m"]),
        "v": np.where(mask, S["v"], T["v"]),
        "t": T["t"],
    }


def fz_reset(w, g, S, mask, **H):
    x, T = fz_right(w, g, S, mask, **H)
    return x, {**T, "m": np.where(mask, 0, T["m"]), "v": np.where(mask, 0, T["v"])}


def fz_old_t(w, g, S, mask, **H):
    x, T = fz_right(w, g, S, mask, **H)
    return x, {**T, "t": S["t"]}


WRONG = {
    "zero the gradient": ((fz_zero,), "zero-gradient-means-still"),
    "mask the step": ((fz_step,), "slots-go-on-decaying"),
    "restore only w": ((fz_value,), "slots-learn-while-frozen"),
    "zero the slots": ((fz_reset,), "slots-thrown-away"),
    "old t": ((fz_old_t,), "t-does-not-count"),
    "inverted": ((lambda w, g, S, mask, **H: fz_right(w, g, S, ~mask, **H),), "mask-the-wrong-way-round"),
}
