"""Another right answer to adam-2."""

import numpy as np


def motion_of_arrays(gradients, kind, lr, b1, b2, eps):
    m, v, t, sums = np.float64(0), np.float64(0), 0, np.zeros(2)
    for g in gradients:
        if g is not None:
            t += 1
            v = {"rmsprop": b1 * v + (1 - b1) * g**2}.get(kind, b2 * v + (1 - b2) * g**2)
            m = {"momentum": b1 * m + g}.get(kind, b1 * m + (1 - b1) * g)
            move = {
                "sgd": g,
                "momentum": m,
                "rmsprop": g / (np.sqrt(v) + eps),
                "adam": m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps),
            }[kind]
            sums[int(g == 0)] -= lr * move
    return sums[0], sums[1]


OTHER = (motion_of_arrays,)
