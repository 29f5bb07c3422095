"""Another right answer to floor-4."""

import numpy as np


def spike_as_list(s):
    return [s / 4, 2 * np.log(3 + 2 * np.sqrt(2)) / s, 1]


def area_by_tanh(s, a, b, K):
    k = np.arange(1, K + 1)
    return np.sum(np.tanh(s * (b - k) / 2) - np.tanh(s * (a - k) / 2)) / 2


OTHER = (
    spike_as_list,
    area_by_tanh,
)
