"""Another right answer to state-1."""

import numpy as np


def six_as_lists(a, b):
    """Lists in place of pairs, and NumPy's numbers."""
    s, c = np.add(a, b), np.float64(a)
    return [[s**2, None], [s**2, s + s], [c * a, c], [c * b, b], [np.square(b), 2 * b], [c**3 + c**2, 3 * c**2 + 2 * c]]


OTHER = (six_as_lists,)
