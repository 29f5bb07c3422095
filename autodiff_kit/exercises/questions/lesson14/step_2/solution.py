"""The slots hold all that the step was made of: no old weight, and no gradient."""

import numpy as np


def last_step(slots, gradient, kind, lr, b1, b2, eps):
    if kind == "momentum":
        return -lr * slots["momentum"]
    if kind == "rmsprop":
        return -slots["momentum"]
    mean = slots["m"] / (1 - b1 ** slots["t"])
    spread = slots["v"] / (1 - b2 ** slots["t"])
    return -lr * mean / (np.sqrt(spread) + eps)
