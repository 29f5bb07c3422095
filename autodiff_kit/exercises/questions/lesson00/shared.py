"""Lists of numbers as arrays, for comparison; used by questions of lessons 00 and 04."""

from __future__ import annotations

import numpy as np


def list_as_array(value: object) -> object:
    """A list or tuple of numbers as an array; anything else as it came."""
    if type(value) in (list, tuple) and all(type(x) is float for x in value):  # type: ignore[attr-defined]
        return np.array(value, float)
    if type(value) in (list, tuple) and all(np.ndim(x) == 0 and type(x) is not str for x in value):  # type: ignore[attr-defined]
        numbers = [float(x) if type(x) in (int, float) else x for x in value]  # type: ignore[attr-defined]
        if all(type(x) in (float, np.ndarray) and np.asarray(x).dtype.kind == "f" for x in numbers):
            return np.array(numbers, float)
    return value
