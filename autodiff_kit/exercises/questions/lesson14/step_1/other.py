"""Another right answer to step-1."""

import numpy as np

import autodiff_kit as ak


def steps_as_echoes(gradients, kind, lr, b):
    """Each step as a sum over the past, in tensors."""
    age = np.subtract.outer(np.arange(len(gradients)), np.arange(len(gradients)))
    fading = np.where(age >= 0, float(b) ** np.maximum(age, 0), 0.0)
    if kind == "rmsprop":
        return ak.constant(-lr * gradients / np.sqrt((1 - b) * (fading @ gradients**2)))
    slot = -lr * (fading @ gradients)
    return ak.constant(b * slot - lr * gradients if kind == "nesterov" else slot)


OTHER = (steps_as_echoes,)
