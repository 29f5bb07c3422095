"""Another right answer to floor-6."""

import numpy as np


def counted_box(x, w):
    edges = np.arange(-20, 20)[:, None]
    above = np.clip(x + w / 2 - edges, 0, w) / w
    inside = (edges > x - w / 2) & (edges <= x + w / 2)
    return above.sum(0) - 21, inside.sum(0) / w


OTHER = (counted_box,)
