"""Another right answer to scale-2."""

import numpy as np


def one_formula(w, g, slots, lr, b1, b2, eps, decay, decoupled):
    share = 1 if decoupled else 0
    g = g + (1 - share) * decay * w
    t = slots["t"] + 1
    m = slots["m"] + (1 - b1) * (g - slots["m"])
    v = slots["v"] + (1 - b2) * (g**2 - slots["v"])
    root = np.sqrt(v) / np.sqrt(1 - b2**t) + eps
    return w * (1 - share * lr * decay) - lr * m / ((1 - b1**t) * root), {"m": m, "v": v, "t": t}


OTHER = (one_formula,)
