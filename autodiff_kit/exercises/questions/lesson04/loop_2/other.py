"""Another right answer to loop-2."""

import numpy as np


def jumps_of_the_worked_loop(limit, factor, lo, hi):
    """From the small end: the first power above it, and on."""
    x = limit / factor ** np.arange(60)
    return np.sort(x[(x > lo) & (x < hi)])


OTHER = (jumps_of_the_worked_loop,)
