"""√((n − 1)/k) is at most the error, so k is at least (n − 1)/error²."""

import math


def probes_needed(n, error):
    return max(math.ceil((n - 1) / error**2), 1)
