"""Three lines, then a division each; None is no step at all."""

import numpy as np


def adam_step(w, g, slots, lr, b1, b2, eps):
    if g is None:
        return w, slots
    t = slots["t"] + 1
    m = b1 * slots["m"] + (1 - b1) * g
    v = b2 * slots["v"] + (1 - b2) * g * g
    step = lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    return w - step, {"m": m, "v": v, "t": t}
