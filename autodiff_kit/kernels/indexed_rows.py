"""Gather and scatter-add of matrix rows by index, for compiled plans. Compiled when the module is loaded.

Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

__all__ = ["sum_rows_by_id", "take_rows"]


def _signatures() -> list[Any]:
    """Signatures for both floating dtypes; inputs may be read-only."""
    ids = types.Array(types.int64, 1, "C", readonly=True)
    pairs = [(types.Array(t, 2, "C", readonly=True), types.Array(t, 2, "C")) for t in (types.float32, types.float64)]
    return [types.void(read, ids, out) for read, out in pairs]


@njit(_signatures(), cache=True, error_model="numpy")
def sum_rows_by_id(x: Any, ids: Any, out: Any) -> None:
    """Write the sum of the rows of each id: ``out[ids[i]] += x[i]``."""
    out[:] = 0
    for i in range(x.shape[0]):
        s = np.uint64(ids[i])
        for j in range(x.shape[1]):
            out[s, j] += x[i, j]


@njit(_signatures(), cache=True, error_model="numpy")
def take_rows(x: Any, ids: Any, out: Any) -> None:
    """Gather rows: ``out[i] = x[ids[i]]``."""
    for i in range(out.shape[0]):
        s = np.uint64(ids[i])
        for j in range(out.shape[1]):
            out[i, j] = x[s, j]
