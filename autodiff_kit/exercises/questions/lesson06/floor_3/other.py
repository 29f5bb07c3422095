"""Another right answer to floor-3."""

import numpy as np

import autodiff_kit as ak


def rule_of_tensors(x, s, K):
    def pull(g):
        total = 0.0
        for k in range(1, K + 1):
            half = np.tanh(s * (x - k) / 2)
            total = total + s * (1 - half * half) / 4
        return g * total

    return ak.constant(np.floor(x).clip(0, K)), pull


OTHER = (rule_of_tensors,)
