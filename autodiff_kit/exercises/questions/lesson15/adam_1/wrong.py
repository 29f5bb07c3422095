"""Wrong answers to adam-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def adam(w, g, S, lr, b1, b2, eps, bias=True, inside=False, none_zero=False, t_on_none=False, v_abs=False, t0=False):
    if g is None:
        if not none_zero:
            return w, ({**S, "t": S["t"] + 1} if t_on_none else S)
        g = np.zeros_like(w)
    t = S["t"] + 1
    m, v = b1 * S["m"] + (1 - b1) * g, b2 * S["v"] + (1 - b2) * (np.abs(g) if v_abs else g * g)
    k = t - 1 if t0 else t
    mh, vh = (m / (1 - b1**k), v / (1 - b2**k)) if bias else (m, v)
    return w - lr * mh / (np.sqrt(vh + eps) if inside else np.sqrt(vh) + eps), {"m": m, "v": v, "t": t}


def step(**switches):
    def adam_step(w, g, slots, lr, b1, b2, eps):
        return adam(w, g, slots, lr, b1, b2, eps, **switches)

    return adam_step


def step_in_place(w, g, slots, lr, b1, b2, eps):
    w, after = adam(w, g, slots, lr, b1, b2, eps)
    slots.update(after)
    return w, slots


def zero_is_no_step(w, g, slots, lr, b1, b2, eps):
    return (w, slots) if g is None or not g.any() else adam(w, g, slots, lr, b1, b2, eps)


def still_where_zero(w, g, slots, lr, b1, b2, eps):
    x, after = adam(w, g, slots, lr, b1, b2, eps)
    return (x if g is None else np.where(g == 0, w, x)), after


def old_t(w, g, slots, lr, b1, b2, eps):
    x, after = adam(w, g, slots, lr, b1, b2, eps)
    return x, {**after, "t": slots["t"]}


def changed(rule):
    """A step from other means, with other slots."""

    def adam_step(w, g, slots, lr, b1, b2, eps):
        if g is None:
            return w, slots
        after = adam(w, g, slots, lr, b1, b2, eps)[1]
        t = after["t"]
        m, v, up, down = rule(slots, after, lr, after["m"] / (1 - b1**t), after["v"] / (1 - b2**t))
        return w - lr * up / (np.sqrt(down) + eps), {"m": m, "v": v, "t": t}

    return adam_step


def with_old_t(w, g, slots, lr, b1, b2, eps):
    if g is None:
        return w, slots
    after = adam(w, g, slots, lr, b1, b2, eps)[1]
    k = max(slots["t"], 1)
    return w - lr * after["m"] / (1 - b1**k) / (np.sqrt(after["v"] / (1 - b2**k)) + eps), after


def old_m(w, g, slots, lr, b1, b2, eps):
    if g is None:
        return w, slots
    after = adam(w, g, slots, lr, b1, b2, eps)[1]
    t = after["t"]
    return w - lr * slots["m"] / (1 - b1**t) / (np.sqrt(after["v"] / (1 - b2**t)) + eps), after


WRONG = {
    "no bias correction": ((step(bias=False),), "no-bias-correction"),
    "eps inside the root": ((step(inside=True),), "eps-inside-the-root"),
    "None is zero": ((step(none_zero=True),), "None-taken-for-zero"),
    "t runs on None": ((step(t_on_none=True),), "clock-runs-on-None"),
    "t from 0": ((step(t0=True),), "clock-starts-at-zero"),
    "in place": ((step_in_place,), "writes-into-the-old-slots"),
    "0 is no step": ((zero_is_no_step,), "zero-taken-for-None"),
    "still where g is 0": ((still_where_zero,), "zero-gradient-means-still"),
    "old t in the slots": ((old_t,), "t-not-returned"),
    "|g|": ((step(v_abs=True),), "v-without-the-square"),
    "corrected m stored": ((changed(lambda S, T, lr, mh, vh: (mh, T["v"], mh, vh)),), "stores-the-corrected-mean"),
    "t of before": ((with_old_t,), "corrects-with-the-old-t"),
    "m of before": (
        (lambda w, g, S, lr, b1, b2, eps: old_m(w, g, S, lr, b1, b2, eps),),
        "steps-by-the-old-m",
    ),
    "v not corrected": ((changed(lambda S, T, lr, mh, vh: (T["m"], T["v"], mh, T["v"])),), "one-mean-not-corrected"),
    "m not corrected": ((changed(lambda S, T, lr, mh, vh: (T["m"], T["v"], T["m"], vh)),), "other-mean-not-corrected"),
    "uphill": ((lambda w, g, S, **H: (2 * w - adam(w, g, S, **H)[0], adam(w, g, S, **H)[1]),), ""),
}
