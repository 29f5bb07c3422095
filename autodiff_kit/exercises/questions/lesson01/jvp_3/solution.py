"""The pull is linear, so its own derivative is the same everywhere: the zeros do not matter."""

import numpy as np


def jvp_by_pulls(kit, f, x, v):
    y, pull = kit.vjp(f, x)
    _, again = kit.vjp(pull, np.zeros(len(y)))
    return again(v)
