"""The largest entry of a row, and exponentials, in loops that LLVM vectorises. Importing this module imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

from autodiff_kit.kernels import vector_math

__all__ = ["exponential", "row_maximum"]

_inlined = njit(error_model="numpy", forceinline=True)
_OPTIONS: Any = {"forceinline": True, "error_model": "numpy"}


def exponential(x: Any) -> Any:
    """The exponential of a float32 or float64, in compiled code."""
    raise NotImplementedError


def row_maximum(row: Any) -> Any:
    """The largest entry of a row, nan if there is one; in compiled code."""
    raise NotImplementedError


@_inlined
def _row_maximum32(row: Any) -> Any:
    key = np.int32(vector_math.sort_key32(row[0]))
    for j in range(1, row.size):
        key = max(key, np.int32(vector_math.sort_key32(row[j])))
    return vector_math.value_of_key32(key)


@_inlined
def _row_maximum64(row: Any) -> Any:
    key = vector_math.sort_key64(row[0])
    for j in range(1, row.size):
        key = max(key, vector_math.sort_key64(row[j]))
    return vector_math.value_of_key64(key)


@overload(exponential, jit_options=_OPTIONS, strict=False)  # not strict: annotations differ
def _exponential(x: Any) -> Any:
    chosen = vector_math.exp32 if x.bitwidth == 32 else vector_math.exp64
    return lambda x: chosen(x)  # noqa: PLW0108 - numba compiles this one


@overload(row_maximum, jit_options=_OPTIONS, strict=False)
def _row_maximum(row: Any) -> Any:
    chosen = _row_maximum32 if row.dtype.bitwidth == 32 else _row_maximum64
    return lambda row: chosen(row)  # noqa: PLW0108
