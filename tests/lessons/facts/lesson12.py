"""What lesson 12 must find."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from autodiff_kit.data import nile


def slope_of_boxes(alpha: float) -> float:
    """The slope of the mean error of a forecast of the Nile in alpha, where each year's level counts as a number."""
    flows = nile()[1] / 100
    level, slopes = flows[0], []
    for now, coming in pairwise(flows[1:]):
        moved = level + alpha * (now - level)
        slopes.append(-2 * (coming - moved) * (now - level))
        level = moved
    return float(np.mean(slopes))


FOUND = {
    "assigned-sum": ((3 + 0) ** 2, None),
    "level-in-a-box": slope_of_boxes(0.5),
    "overwritten-input": (2 * 3, 2 * 10),
}
"""What each prompt of the lesson must find."""
PRINTED = ["dy/dx0: None"]
"""What its cells print, each within one line."""
