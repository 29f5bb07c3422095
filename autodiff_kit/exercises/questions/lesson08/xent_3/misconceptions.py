"""Label smoothing with one thing misunderstood."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..shared import one_hot, softmax

Array = np.ndarray[Any, Any]


def smoothed(
    z: Array, y: Array, alpha: float, *, others_only: bool = False, last: bool = False, overwritten: bool = False
) -> tuple[float, Array]:
    """With smoothing and ignored rows.

    The switches are a share for the others only, −1 as the last class, and a true class that gets 1 − alpha alone.
    """
    y = np.where(y < 0, z.shape[1] - 1, y) if last else y
    keep, classes = y >= 0, z.shape[1]
    share = alpha / (classes - 1) if others_only else alpha / classes
    t = one_hot(z, y) * (1 - alpha) + share * (1 - one_hot(z, y) if others_only or overwritten else 1)
    t, n = t * keep[:, None], max(1, int(keep.sum()))
    p = softmax(z)
    return float(-(t * np.log(p)).sum() / n), (p * keep[:, None] - t) / n
