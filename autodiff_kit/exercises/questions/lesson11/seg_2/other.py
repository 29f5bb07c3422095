"""Another right answer to seg-2."""

import numpy as np


def softmax_by_segments(s, ids, c):
    out = np.empty_like(s)
    for k in range(c):
        mine = ids == k
        if mine.any():
            e = np.exp(s[mine] - s[mine].max())
            out[mine] = e / e.sum()
    return out


OTHER = (softmax_by_segments,)
