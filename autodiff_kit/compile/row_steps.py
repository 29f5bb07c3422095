"""Steps of an optimizer on few rows of a large table, as a trace records them.

The number of different ids is not known while a function is traced. A step therefore computes one row for each id that
was read: equal ids get equal rows, and it does not matter which of them is written last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.ops.row_gradient import sum_rows_by_place

__all__ = ["dense_update", "set_rows", "sum_equal_ids"]


def sum_equal_ids(ids: Any, rows: Any) -> Any:
    """For each id, the sum of the rows of all equal ids."""
    different, place = np.unique(ids, return_inverse=True)
    return rows if different.size == ids.size else sum_rows_by_place(rows, place, different.size)[place]


def set_rows(table: Any, ids: Any, rows: Any) -> Any:
    """A copy of a table with some rows replaced; a plan of kernels writes them into a table that it owns."""
    new = np.array(table, order="C")
    new[ids] = rows
    return new


def dense_update(shape: tuple[int, ...], ids: Any, rows: Any) -> Any:
    """The last update of a table whose rows were updated."""
    return set_rows(np.zeros(shape, rows.dtype), ids, rows)
