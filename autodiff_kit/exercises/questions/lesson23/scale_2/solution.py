"""AdamW shrinks w itself; the penalty goes into the gradient, and so through m and v."""

import numpy as np


def decayed_step(w, g, slots, lr, b1, b2, eps, decay, decoupled):
    if not decoupled:
        g = g + decay * w
    t = slots["t"] + 1
    m = b1 * slots["m"] + (1 - b1) * g
    v = b2 * slots["v"] + (1 - b2) * g * g
    step = lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    shrunk = w - lr * decay * w if decoupled else w
    return shrunk - step, {"m": m, "v": v, "t": t}
