"""By name, with the clock, and as a copy; a newcomer starts at zero."""

from copy import deepcopy

import numpy as np


def migrate(old, shapes):
    new = {}
    for name, shape in shapes.items():
        if name in old and old[name]["m"].shape == tuple(shape):
            new[name] = deepcopy(old[name])
        else:
            new[name] = {"m": np.zeros(shape), "v": np.zeros(shape), "t": 0}
    return new
