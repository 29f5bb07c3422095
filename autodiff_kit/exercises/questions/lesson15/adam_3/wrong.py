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


def weighed(w, g, S, mask, **H):
    x, T = adam_step(w, g, S, **H)
    k = mask.astype(float)
    return w * k + x * (1 - k), {n: S[n] * k + T[n] * (1 - k) for n in "mv"} | {"t": T["t"]}


def moved_by_less(w, g, S, mask, **H):
    x, T = adam_step(w, g, S, **H)
    return w + (x - w) * ~mask, {n: S[n] + (T[n] - S[n]) * ~mask for n in "mv"} | {"t": T["t"]}


def counts_if(some):
    def frozen_step(w, g, S, mask, **H):
        x, T = fz_right(w, g, S, mask, **H)
        return x, {**T, "t": S["t"] + int(some(mask))}

    return frozen_step


WRONG = {
    "the mask as a factor": ((weighed,), "weighs-instead-of-choosing"),
    "a part of the step": ((moved_by_less,), "weighs-instead-of-choosing"),
    "t only if one moves": ((counts_if(lambda mask: not mask.all()),), "t-depends-on-the-mask"),
    "t only if one is frozen": ((counts_if(lambda mask: mask.any()),), "t-depends-on-the-mask"),
    "zero the gradient": ((fz_zero,), "zero-gradient-means-still"),
    "mask the step": ((fz_step,), "slots-go-on-decaying"),
    "restore only w": ((fz_value,), "slots-learn-while-frozen"),
    "zero the slots": ((fz_reset,), "slots-thrown-away"),
    "old t": ((fz_old_t,), "t-does-not-count"),
    "inverted": ((lambda w, g, S, mask, **H: fz_right(w, g, S, ~mask, **H),), "mask-the-wrong-way-round"),
}
