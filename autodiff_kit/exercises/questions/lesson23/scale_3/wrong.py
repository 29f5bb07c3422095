"""Wrong answers to scale-3, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


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


def without_zeros(W, ids, g, S, **H):
    kept = (g != 0).any(1)
    return rows(W, ids[kept], g[kept], S, **H)


def all_slots(W, ids, g, S, **H):
    moved, T = rows(W, ids, g, S, dense=True, **H)
    X = W.copy()
    X[ids] = moved[ids]
    return X, T


def counted(W, ids, g, S, more, **H):
    return rows(W, ids, g, {**S, "t": S["t"] + more - 1}, **H)


WRONG = {
    "dense": ((lazy(dense=True),), "dense"),
    "acc[ids] = g": ((lazy(last=True),), "last-duplicate-wins"),
    "one by one": ((lazy(serial=True),), "duplicates-step-twice"),
    "clock per row": ((lazy(clock=True),), "clock-of-its-own"),
    "mean of repeats": ((lazy_mean,), "mean-of-duplicates"),
    "rows with gradient 0 skipped": ((without_zeros,), "skips-zero-rows"),
    "slots of all rows": ((all_slots,), "slots-of-all-rows"),
    "t counts ids": ((lambda W, ids, g, S, **H: counted(W, ids, g, S, len(ids), **H),), "t-counts-rows"),
    "t counts rows": ((lambda W, ids, g, S, **H: counted(W, ids, g, S, len(set(ids.tolist())), **H),), "t-counts-rows"),
    "half the rate": ((lambda W, ids, g, S, lr, **H: rows(W, ids, g, S, lr=lr / 2, **H),), ""),
}
