"""Another right answer to adam-1."""

import copy

import numpy as np


def step_in_a_copy(w, g, slots, lr, b1, b2, eps):
    new = copy.deepcopy(slots)
    if g is None:
        return w.copy(), new
    new["t"] += 1
    new["m"] += (1 - b1) * (g - new["m"])
    new["v"] += (1 - b2) * (g**2 - new["v"])
    t = new["t"]
    rate = lr * np.sqrt(1 - b2**t) / (1 - b1**t)
    return w - rate * new["m"] / (np.sqrt(new["v"]) + eps * np.sqrt(1 - b2**t)), new


OTHER = (step_in_a_copy,)
