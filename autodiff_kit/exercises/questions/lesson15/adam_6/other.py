"""Another right answer to adam-6."""

import copy

import numpy as np


def all_then_less(old, shapes):
    new = {
        name: slots for name, slots in copy.deepcopy(old).items() if name in shapes and slots["v"].shape == shapes[name]
    }
    for name, shape in shapes.items():
        new.setdefault(name, {"m": np.zeros(shape), "v": np.zeros(shape), "t": 0})
    return new


OTHER = (all_then_less,)
