"""The step is computed from the slots alone; neither an old weight nor the gradient is needed."""

import numpy as np


def last_step(slots, gradient, kind, lr, b1, b2, eps):
    if kind == "momentum":
        return -lr * slots["momentum"]
    if kind == "rmsprop":
        return -slots["momentum"]
    mean = slots["m"] / (1 - b1 ** slots["t"])
    spread = slots["v"] / (1 - b2 ** slots["t"])
    return -lr * mean / (np.sqrt(spread) + eps)
