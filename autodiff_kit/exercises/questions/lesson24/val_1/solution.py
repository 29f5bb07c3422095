"""A mirrored pair forgets the height of the hill and its curvature."""

import numpy as np


def es_gradient(F, x, sigma, E):
    return np.mean([(F(x + sigma * e) - F(x - sigma * e)) / (2 * sigma) * e for e in E], axis=0)
