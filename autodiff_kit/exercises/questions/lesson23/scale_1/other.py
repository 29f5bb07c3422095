"""Another right answer to scale-1."""

import numpy as np


def weights_of_all_gradients(gradients, b1, b2):
    gradients = np.asarray(gradients, dtype=float)
    found = []
    for n in range(1, len(gradients) + 1):
        past, age = gradients[:n], np.arange(n)[::-1]
        first, second = b1**age, b2**age
        found.append(abs(first @ past) / first.sum() / np.sqrt(second @ past**2 / second.sum()))
    return np.array(found)


OTHER = (weights_of_all_gradients,)
