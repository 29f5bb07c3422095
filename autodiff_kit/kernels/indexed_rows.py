"""Loops over rows by their number, for compiled functions: into memory that is there already, compiled as they load.

Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

__all__ = ["rows_out", "rows_summed"]


def _signatures() -> list[Any]:
    """For both floating dtypes; what is only read may be closed to writing."""
    ids = types.Array(types.int64, 1, "C", readonly=True)
    pairs = [(types.Array(t, 2, "C", readonly=True), types.Array(t, 2, "C")) for t in (types.float32, types.float64)]
    return [types.void(read, ids, out) for read, out in pairs]


@njit(_signatures(), cache=True, error_model="numpy")
def rows_summed(x: Any, ids: Any, out: Any) -> None:
    """The sum of each group of rows."""
    out[:] = 0
    for i in range(x.shape[0]):
        s = np.uint64(ids[i])
        for j in range(x.shape[1]):
            out[s, j] += x[i, j]


@njit(_signatures(), cache=True, error_model="numpy")
def rows_out(x: Any, ids: Any, out: Any) -> None:
    """Rows by their number."""
    for i in range(out.shape[0]):
        s = np.uint64(ids[i])
        for j in range(out.shape[1]):
            out[i, j] = x[s, j]
