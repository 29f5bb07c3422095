"""The update rule without lr: the corrected m over the root of the corrected v."""

import numpy as np


def relative_steps(gradients, b1, b2):
    m = v = 0.0
    sizes = []
    for t, g in enumerate(gradients, start=1):
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g * g
        sizes.append(abs(m / (1 - b1**t)) / np.sqrt(v / (1 - b2**t)))
    return np.array(sizes)
