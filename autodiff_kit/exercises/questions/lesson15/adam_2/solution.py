"""Each step's move goes to one of two sums; None is skipped, 0 is a step."""

import numpy as np


def motion(gradients, kind, lr, b1, b2, eps):
    m = v = real = ghost = 0.0
    t = 0
    for g in gradients:
        if g is None:
            continue
        t += 1
        if kind == "sgd":
            move = -lr * g
        elif kind == "momentum":
            m = b1 * m + g
            move = -lr * m
        elif kind == "rmsprop":
            v = b1 * v + (1 - b1) * g * g
            move = -lr * g / (np.sqrt(v) + eps)
        else:
            m = b1 * m + (1 - b1) * g
            v = b2 * v + (1 - b2) * g * g
            move = -lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
        if g == 0:
            ghost += move
        else:
            real += move
    return real, ghost
