"""A slot each; the step is what the slot says, and for nesterov what it will say."""

import numpy as np


def steps(gradients, kind, lr, b):
    slot, found = 0.0, []
    for g in gradients:
        if kind == "rmsprop":
            slot = b * slot + (1 - b) * g * g
            step = -lr * g / np.sqrt(slot)
        else:
            slot = b * slot - lr * g
            step = b * slot - lr * g if kind == "nesterov" else slot
        found.append(step)
    return np.array(found)
