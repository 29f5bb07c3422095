"""Gradients of a few rows of a large table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.sparse_gradient import SparseGradient
from autodiff_kit.core.tensor import as_tensor
from autodiff_kit.core.validation import check_integer, describe
from autodiff_kit.errors import ArgumentError, DtypeError, RangeError, ShapeError
from autodiff_kit.ops.in_place import add_rows_at

__all__ = ["RowGradient", "sum_rows_by_place", "worth_rows"]


class RowGradient(SparseGradient):
    """The gradient of a table of which few rows were read.

    A tape returns it for a large variable that was only read by rows, in place of a tensor with mostly zeros: one of
    65536 entries or more, of which at most every eighth row was read.

    Parameters
    ----------
    ids : array_like of int
        Row numbers, ``(n,)``; repeated ids add up.
    rows : array_like
        One gradient for each id, ``(n, ...)``.
    shape : tuple of int
        The shape of the table.

    Attributes
    ----------
    ids, rows : ndarray
        Each row once, in ascending order, with its summed gradient.
    shape : tuple of int
    dtype : dtype

    Raises
    ------
    ShapeError, RangeError, DtypeError
        If the rows do not fit the shape, an id is not a row, or ids are not integers.

    Notes
    -----
    :meth:`numpy` and ``np.asarray`` make it dense. The sum of two, and the product with a number, remain rows; the sum
    with an array is dense. ``Adam(lazy=True)``, ``Adagrad`` and plain ``SGD`` update only these rows.
    **Cost.** Proportional to the rows.

    Examples
    --------
    >>> ak.RowGradient([2, 0, 2], [[1.0], [5.0], [1.0]], (3, 1)).numpy().ravel()
    array([5., 0., 2.])
    """

    __array_ufunc__ = None  # so that array + RowGradient calls this class

    def __init__(self, ids: Any, rows: Any, shape: Any) -> None:
        numbers, given = _array("ids", ids).reshape(-1), _array("rows", rows)
        if not isinstance(shape, (tuple, list)) or not shape:
            raise ArgumentError(f"RowGradient: the shape must be a tuple such as (1000, 16), got {describe(shape)}")
        self.shape = tuple(check_integer("a length of the shape", n, 0) for n in shape)
        if given.shape != (numbers.size, *self.shape[1:]):
            raise ShapeError(
                f"{numbers.size} ids of a table {self.shape} need rows {(numbers.size, *self.shape[1:])}, "
                f"got {given.shape}"
            )
        if numbers.size and numbers.dtype.kind not in "iu":
            raise DtypeError(f"RowGradient: ids must be integers, got {numbers.dtype}")
        bad = np.flatnonzero((numbers < 0) | (numbers >= self.shape[0]))
        if bad.size:
            raise RangeError(
                f"id {numbers[bad[0]]} at position {bad[0]} is not a row of a table with {self.shape[0]} rows"
            )
        self.ids, place = np.unique(numbers.astype(np.int64), return_inverse=True)
        self.rows = sum_rows_by_place(given, place.reshape(-1), self.ids.size)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the rows."""
        found: np.dtype[Any] = self.rows.dtype
        return found

    @property
    def ndim(self) -> int:
        """Number of axes of the table."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes of ids and rows."""
        return int(self.ids.nbytes + self.rows.nbytes)

    def numpy(self) -> np.ndarray[Any, Any]:
        """The gradient of the whole table, zeros included."""
        return np.asarray(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        dense = np.zeros(self.shape, dtype or self.rows.dtype)
        dense[self.ids] = self.rows
        return dense

    def _scaled(self, rows: np.ndarray[Any, Any]) -> RowGradient:
        new = RowGradient.__new__(RowGradient)
        new.shape, new.ids, new.rows = self.shape, self.ids, rows
        return new

    def __add__(self, other: Any) -> Any:
        if isinstance(other, RowGradient):
            ids, rows = np.concatenate([self.ids, other.ids]), np.concatenate([self.rows, other.rows])
            return RowGradient(ids, rows, self.shape)
        return np.asarray(self) + other

    __radd__ = __add__

    def __mul__(self, factor: float) -> RowGradient:
        return self._scaled(self.rows * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> RowGradient:
        return self._scaled(self.rows / divisor)

    def __neg__(self) -> RowGradient:
        return self._scaled(-self.rows)

    def __repr__(self) -> str:
        return f"RowGradient({self.ids.size} rows of {self.shape}, dtype={self.dtype})"


def _array(what: str, value: Any) -> np.ndarray[Any, Any]:
    found = np.asarray(unwrap(as_tensor(value)))
    if found.dtype.kind == "c":
        raise DtypeError(f"{what} of a gradient must be real numbers, got {found.dtype}")
    return found


def sum_rows_by_place(rows: Any, place: Any, count: int) -> Any:
    """An array of ``count`` rows, to which each row is added at its place."""
    half = rows.dtype == np.float16  # sums in sixteen bits are too inexact
    total = np.zeros((count, *rows.shape[1:]), np.float32 if half else rows.dtype)
    if rows.size:
        add_rows_at(total.reshape(count, -1), place, np.asarray(rows, total.dtype).reshape(place.size, -1))
    return total.astype(rows.dtype, copy=False)


def worth_rows(shape: tuple[int, ...], asked: int) -> bool:
    """Whether the gradient of a table is stored as rows: the table is large, and few of its rows were read."""
    return len(shape) > 1 and asked * 8 <= shape[0] and math.prod(shape) >= 1 << 16
