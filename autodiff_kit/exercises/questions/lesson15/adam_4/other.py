"""Another right answer to adam-4."""

import numpy as np


def all_steps_at_once(slots, n, lr, b1, b2, eps):
    k = np.arange(1, n + 1)[:, None]
    t = slots["t"] + k
    mean = slots["m"] * b1**k / (1 - b1**t)
    square = slots["v"] * b2**k / (1 - b2**t)
    return -lr * np.sum(mean / (np.sqrt(square) + eps), axis=0)


OTHER = (all_steps_at_once,)
