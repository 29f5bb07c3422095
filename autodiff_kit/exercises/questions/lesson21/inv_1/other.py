"""Another right answer to inv-1."""

import numpy as np

import autodiff_kit as ak


def by_brackets_of_any_size(F, dF, y):
    """Halving first, Newton for the last digits; a list of a tensor and an array."""
    width = 1.0
    while not F(-width) <= y <= F(width):
        width *= 3
    low, high = -width, width
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if F(middle) > y else (middle, high)
    x = ak.constant(0.5 * (low + high))
    for _ in range(4):
        x = x - (F(float(x)) - y) / dF(float(x))
    return [x, np.array(1 / dF(float(x)))]


OTHER = (by_brackets_of_any_size,)
