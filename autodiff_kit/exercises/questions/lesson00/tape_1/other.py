"""Another right answer to tape-1."""

import numpy as np


def slopes_by_powers(a, b, p):
    """Each slope from its own formula, as arrays without an axis."""
    return (
        np.array(p * a ** (p - 1) * b ** (p - 1)),
        np.array(p * a ** (p - 1) * b**p),
        np.array(p * a**p * b ** (p - 1)),
    )


OTHER = (slopes_by_powers,)
