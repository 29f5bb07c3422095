"""The mean over a window is the difference of an antiderivative at its ends, divided by its width."""

import numpy as np


def antiderivative(z):
    k = np.floor(z)
    return k * (k - 1) / 2 + k * (z - k)


def box_floor(x, w):
    a, b = x - w / 2, x + w / 2
    return (antiderivative(b) - antiderivative(a)) / w, (np.floor(b) - np.floor(a)) / w
