"""Another right answer to tape-2."""

import numpy as np


def swept_by_readers(nodes, target):
    """Forwards through who reads whom, collected from the far end; an array in place of a list."""
    readers = [[] for _ in nodes]
    for i, inputs in enumerate(nodes):
        for j, slope in inputs:
            readers[j].append((i, slope))
    bar = np.zeros(len(nodes))
    for j in reversed(range(target + 1)):
        bar[j] = 1.0 if j == target else sum(bar[i] * slope for i, slope in readers[j] if i <= target)
    return bar


OTHER = (swept_by_readers,)
