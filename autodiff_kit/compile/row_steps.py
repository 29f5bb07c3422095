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
    """For each id, the sum of the rows of all equal ids; rows whose ids occur once are only copied."""
    order = np.argsort(ids, kind="stable")
    in_order = ids[order]
    repeats = np.concatenate(([False], in_order[1:] == in_order[:-1], [False]))
    shared = repeats[1:] | repeats[:-1]
    if not shared.any():
        return rows
    places, first = order[shared], ~repeats[:-1][shared]
    number = np.cumsum(first) - 1
    summed = rows.copy()
    summed[places] = sum_rows_by_place(rows[places], number, int(number[-1]) + 1)[number]
    return summed


def set_rows(table: Any, ids: Any, rows: Any) -> Any:
    """A copy of a table with some rows replaced; a plan of kernels writes them into a table that it owns."""
    new = np.array(table, order="C")
    new[ids] = rows
    return new


def dense_update(shape: tuple[int, ...], ids: Any, rows: Any) -> Any:
    """The last update of a table whose rows were updated."""
    return set_rows(np.zeros(shape, rows.dtype), ids, rows)
