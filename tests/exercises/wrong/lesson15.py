"""Wrong solutions of lesson 15, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def new(shape=()):
    return {"m": np.zeros(shape), "v": np.zeros(shape), "t": 0}


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


def fz_zero(w, g, S, mask, **H):
    return adam(w, np.where(mask, 0, g), S, **H)


def fz_step(w, g, S, mask, **H):
    x, T = adam(w, np.where(mask, 0, g), S, **H)
    return np.where(mask, w, x), T


def fz_value(w, g, S, mask, **H):
    x, T = adam(w, g, S, **H)
    return np.where(mask, w, x), T


def fz_right(w, g, S, mask, **H):
    x, T = adam(w, g, S, **H)
    return np.where(mask, w, x), {
        "m": np.where(mask, S["m"], T["m"]),
        "v": np.where(mask, S["v"], T["v"]),
        "t": T["t"],
    }


def fz_reset(w, g, S, mask, **H):
    x, T = fz_right(w, g, S, mask, **H)
    return x, {**T, "m": np.where(mask, 0, T["m"]), "v": np.where(mask, 0, T["v"])}


def rows(W, ids, g, S, dense=False, last=False, serial=False, clock=False, **H):
    W, m, v, t = W.copy(), S["m"].copy(), S["v"].copy(), S["t"] + 1
    clk = S.get("clk", np.zeros(len(W), int)).copy()
    acc = np.zeros_like(W)
    if serial:
        for i, r in zip(ids, g):
            m[i], v[i] = H["b1"] * m[i] + (1 - H["b1"]) * r, H["b2"] * v[i] + (1 - H["b2"]) * r * r
            W[i] -= H["lr"] * (m[i] / (1 - H["b1"] ** t)) / (np.sqrt(v[i] / (1 - H["b2"] ** t)) + H["eps"])
        return W, {"m": m, "v": v, "t": t, "clk": clk}
    if last:
        acc[ids] = g
    else:
        np.add.at(acc, ids, g)
    R = np.arange(len(W)) if dense else np.unique(ids)
    clk[R] += 1
    k = clk[R][:, None] if clock else t
    m[R], v[R] = H["b1"] * m[R] + (1 - H["b1"]) * acc[R], H["b2"] * v[R] + (1 - H["b2"]) * acc[R] ** 2
    W[R] -= H["lr"] * (m[R] / (1 - H["b1"] ** k)) / (np.sqrt(v[R] / (1 - H["b2"] ** k)) + H["eps"])
    return W, {"m": m, "v": v, "t": t, "clk": clk}


def lazy(**switches):
    return lambda W, ids, g, S, **H: rows(W, ids, g, S, **switches, **H)


def lazy_mean(W, ids, g, S, **H):
    return rows(W, ids, g / np.array([np.sum(ids == i) for i in ids])[:, None], S, **H)


def copied(S):
    return {"m": S["m"].copy(), "v": S["v"].copy(), "t": S["t"]}


def moved(old, shapes):
    return {n: copied(old[n]) if n in old and old[n]["m"].shape == s else new(s) for n, s in shapes.items()}


def by_position(old, shapes):
    found = list(old.values())
    return {n: copied(found[i]) if i < len(found) else new(s) for i, (n, s) in enumerate(shapes.items())}


def clock_for_all(old, shapes):
    t = max(S["t"] for S in old.values())
    return {n: {**S, "t": t} for n, S in moved(old, shapes).items()}


WRONG = {
    "adam-1": {
        "no bias correction": ((step(bias=False),), "no-bias-correction"),
        "eps inside the root": ((step(inside=True),), "eps-inside-the-root"),
        "None is zero": ((step(none_zero=True),), "None-taken-for-zero"),
        "t runs on None": ((step(t_on_none=True),), "clock-runs-on-None"),
        "t from 0": ((step(t0=True),), "clock-starts-at-zero"),
        "in place": ((step_in_place,), "writes-into-the-old-slots"),
        "|g|": ((step(v_abs=True),), "v-without-the-square"),
    },
    "adam-2": {
        "zero is None": (
            (lambda G, k, **H: moves(G, k, **H, zero_is_none=True),),
            "zero-gradient-means-still",
        ),
        "None is zero": ((lambda G, k, **H: moves(G, k, **H, none_is_zero=True),), "None-taken-for-zero"),
        "v drifts, m stops": ((moves_swapped,), "blames-the-adaptivity"),
        "no ghost": ((lambda G, k, **H: (sum(moves(G, k, **H)), 0.0),), "all-motion-is-real"),
        "signs": ((lambda G, k, **H: tuple(-x for x in moves(G, k, **H)),), ""),
    },
    "adam-3": {
        "zero the gradient": ((fz_zero,), "zero-gradient-means-still"),
        "mask the step": ((fz_step,), "slots-go-on-decaying"),
        "restore only w": ((fz_value,), "slots-learn-while-frozen"),
        "zero the slots": ((fz_reset,), "slots-thrown-away"),
        "inverted": ((lambda w, g, S, mask, **H: fz_right(w, g, S, ~mask, **H),), "mask-the-wrong-way-round"),
    },
    "adam-4": {
        "dense": ((lazy(dense=True),), "dense"),
        "acc[ids] = g": ((lazy(last=True),), "last-duplicate-wins"),
        "one by one": ((lazy(serial=True),), "duplicates-step-twice"),
        "clock per row": ((lazy(clock=True),), "clock-of-its-own"),
        "mean of repeats": ((lazy_mean,), ""),
    },
    "adam-5": {
        "zero": ((lambda S, g, b1: 0 * g,), "zero-gradient-means-still"),
        "-g": ((lambda S, g, b1: -g,), "opposite-of-the-last-gradient"),
        "-m": ((lambda S, g, b1: -S["m"],), "opposite-of-m"),
        "-b1 m": ((lambda S, g, b1: -b1 * S["m"],), "forgets-the-1-b1"),
        "None": ((lambda S, g, b1: [None][0],), "None-is-only-a-pause"),
        "sign": ((lambda S, g, b1: b1 * S["m"] / (1 - b1),), ""),
    },
    "adam-6": {
        "by position": ((by_position,), "by-position"),
        "fresh": (
            (lambda old, shapes: {n: new(s) for n, s in shapes.items()},),
            "a-new-optimizer-remembers-nothing",
        ),
        "t lost": (
            (lambda old, shapes: {n: {**S, "t": 0} for n, S in moved(old, shapes).items()},),
            "forgets-the-clock",
        ),
        "newcomer gets t": ((clock_for_all,), "old-clock-for-a-newcomer"),
        "alias": ((lambda old, shapes: {n: old.get(n, new(s)) for n, s in shapes.items()},), "shares-memory"),
    },
}
