"""Another right answer to floor-1."""

import numpy as np


def by_logaddexp(z):
    return np.exp(-np.logaddexp(0, -z))


def stairs_at_once(x, s, K):
    return by_logaddexp(s * (x[:, None] - np.arange(1, K + 1, dtype=x.dtype))).sum(-1)


OTHER = (
    by_logaddexp,
    stairs_at_once,
)
