"""The mean of another function over the window."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def means_of_trunc(x: Array, w: float) -> tuple[Array, Array]:
    """The mean of trunc, and what the formula for floor gives with trunc in it."""

    def exact(z: Array) -> Array:
        area: Array = np.trunc(z) * z - np.trunc(z) * (np.trunc(z) + np.sign(z)) / 2
        return area

    def put_in(z: Array) -> Array:
        area: Array = np.trunc(z) * z - np.trunc(z) * (np.trunc(z) + 1) / 2
        return area

    a, b = x - w / 2, x + w / 2
    return (exact(b) - exact(a)) / w, (put_in(b) - put_in(a)) / w
