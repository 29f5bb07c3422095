"""Gradients of a few rows of a large table."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import plain
from autodiff_kit.errors import RangeError, ShapeError

__all__ = ["RowGradient"]


class RowGradient:
    """The gradient of a table of which few rows were read.

    Parameters
    ----------
    ids : array_like of int
        Numbers of the rows, ``(n,)``; repeats add up.
    rows : array_like
        A gradient for each, ``(n, ...)``.
    shape : tuple of int
        Of the whole table.

    Raises
    ------
    ShapeError, RangeError
        If rows and shape do not fit, or an id is not a row.

    Notes
    -----
    ``np.asarray`` makes it dense. ``Adam(lazy=True)`` steps the rows only.

    Examples
    --------
    >>> np.asarray(ak.RowGradient([2, 0, 2], [[1.0], [5.0], [1.0]], (3, 1))).ravel()
    array([5., 0., 2.])
    """

    def __init__(self, ids: Any, rows: Any, shape: tuple[int, ...]) -> None:
        numbers, given = np.asarray(plain(ids)).reshape(-1), np.asarray(plain(rows))
        self.shape = tuple(int(n) for n in shape)
        if given.shape != (numbers.size, *self.shape[1:]):
            raise ShapeError(
                f"{numbers.size} ids of a table {self.shape} need rows {(numbers.size, *self.shape[1:])}, "
                f"got {given.shape}"
            )
        bad = np.flatnonzero((numbers < 0) | (numbers >= self.shape[0]))
        if bad.size:
            raise RangeError(f"id {numbers[bad[0]]} at place {bad[0]} is not a row of a table with {self.shape[0]}")
        self.ids, place = np.unique(numbers, return_inverse=True)
        self.rows = np.zeros((self.ids.size, *self.shape[1:]), given.dtype)
        np.add.at(self.rows, place.reshape(-1), given)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the rows."""
        return np.dtype(self.rows.dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        dense = np.zeros(self.shape, dtype or self.rows.dtype)
        dense[self.ids] = self.rows
        return dense

    def __repr__(self) -> str:
        return f"RowGradient({self.ids.size} rows of {self.shape})"
