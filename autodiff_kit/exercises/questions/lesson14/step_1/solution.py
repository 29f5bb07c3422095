"""One slot for each kind; first the new slot, then the step from it."""

import numpy as np


def steps(gradients, kind, lr, b):
    slot, found = 0.0, []
    for g in gradients:
        if kind == "rmsprop":
            slot = b * slot + (1 - b) * g * g
            step = -lr * g / np.sqrt(slot)
        else:
            slot = b * slot + g
            step = -lr * (g + b * slot) if kind == "nesterov" else -lr * slot
        found.append(step)
    return np.array(found)
