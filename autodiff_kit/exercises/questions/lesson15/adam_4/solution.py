"""n ordinary steps with the gradient 0; m, v and t change at each of them."""

import numpy as np


def drift(slots, n, lr, b1, b2, eps):
    m, v, t = slots["m"], slots["v"], slots["t"]
    moved = np.zeros_like(m)
    for _ in range(n):
        m, v, t = b1 * m, b2 * v, t + 1
        moved = moved - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)
    return moved
