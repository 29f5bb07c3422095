"""Another right answer to loop-1."""

import numpy as np


def loop_by_logarithm(x, limit, factor):
    """The number of turns at once, put right where the logarithm rounds; as arrays without an axis."""
    n = max(0, int(np.ceil(np.log(limit / abs(x)) / np.log(factor))))
    while n and abs(x) * factor ** (n - 1) >= limit:
        n -= 1
    while abs(x) * factor**n < limit:
        n += 1
    return np.array(x * factor**n), np.array(factor**n)


OTHER = (loop_by_logarithm,)
