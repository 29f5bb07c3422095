"""Do the step for all, then choose: w, m and v must all stand still."""

import numpy as np


def whole_step(w, g, slots, lr, b1, b2, eps):
    t = slots["t"] + 1
    m = b1 * slots["m"] + (1 - b1) * g
    v = b2 * slots["v"] + (1 - b2) * g * g
    step = lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    return w - step, {"m": m, "v": v, "t": t}


def frozen_step(w, g, slots, mask, lr, b1, b2, eps):
    moved, new = whole_step(w, g, slots, lr, b1, b2, eps)
    kept = {name: np.where(mask, slots[name], new[name]) for name in ("m", "v")}
    return np.where(mask, w, moved), {**kept, "t": new["t"]}
