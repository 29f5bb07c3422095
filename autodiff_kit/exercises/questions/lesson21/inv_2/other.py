"""Another right answer to inv-2."""

import numpy as np


def a_smooth_fit(y, x):
    """A smooth fit that gives an array of one, and trust as a whole number."""
    fit = np.polynomial.Polynomial.fit(y, x, 15)
    low, high = np.quantile(y, [0.0, 1.0])
    return (lambda q: np.array([fit(q)])), (lambda q: int(low - 0.01 < q < high + 0.01))


OTHER = (a_smooth_fit,)
