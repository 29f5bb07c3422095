"""Shape and dtype of a value, without the value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["NUMBERS", "SCALAR", "ArraySpec"]


class ArraySpec(NamedTuple):
    """Shape and dtype of a value that the record does not hold."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @staticmethod
    def of(value: Any) -> ArraySpec:
        """Shape and dtype of an array. ``tuple.__new__`` takes half the time of the constructor."""
        return _new_tuple(ArraySpec, (value.shape, value.dtype))  # type: ignore[no-any-return]


_new_tuple: Any = tuple.__new__
SCALAR = ArraySpec((), np.dtype(np.float64))
"""Shape and dtype of a Python float."""
NUMBERS = frozenset((float, int, np.float64))
"""Types of single numbers, which nodes hold as they are. A float64 beside an array of another dtype is one of NumPy:
beside that array NumPy's functions take Python's for a number of the array's dtype."""
