"""Another right answer to msg-3."""

import numpy as np


def one_by_one(sizes, edge_lists):
    out, shift = [], 0
    for size, edges in zip(sizes, edge_lists, strict=True):
        for start, end in edges:
            out.append((start + shift, end + shift))
        shift += size
    return np.array(out)


OTHER = (one_by_one,)
