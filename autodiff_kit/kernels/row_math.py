"""The largest entry of a row, and exponentials, in loops that LLVM vectorises. Importing this module imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

from autodiff_kit.kernels import vector_math

__all__ = ["exponential", "row_maximum"]

_inlined = njit(error_model="numpy", forceinline=True)
_inlined_math = njit(error_model="numpy", forceinline=True, fastmath=set(vector_math.FASTMATH_FLAGS.split()))
_OPTIONS: Any = {"forceinline": True, "error_model": "numpy"}
_exp32, _exp64 = _inlined_math(vector_math.exp32), _inlined_math(vector_math.exp64)
_sort_key32, _value_of_key32 = _inlined_math(vector_math.sort_key32), _inlined_math(vector_math.value_of_key32)
_sort_key64, _value_of_key64 = _inlined_math(vector_math.sort_key64), _inlined_math(vector_math.value_of_key64)


def exponential(x: Any) -> Any:
    """The exponential of a float32 or float64, in compiled code."""
    raise NotImplementedError


def row_maximum(row: Any) -> Any:
    """The largest entry of a row, nan if there is one; in compiled code."""
    raise NotImplementedError


@_inlined
def _row_maximum32(row: Any) -> Any:
    key = np.int32(_sort_key32(row[0]))
    for j in range(1, row.size):
        key = max(key, np.int32(_sort_key32(row[j])))
    return _value_of_key32(key)


@_inlined
def _row_maximum64(row: Any) -> Any:
    key = _sort_key64(row[0])
    for j in range(1, row.size):
        key = max(key, _sort_key64(row[j]))
    return _value_of_key64(key)


@overload(exponential, jit_options=_OPTIONS, strict=False)  # not strict: annotations differ
def _exponential(x: Any) -> Any:
    chosen = _exp32 if x.bitwidth == 32 else _exp64
    return lambda x: chosen(x)  # noqa: PLW0108 - numba compiles this one


@overload(row_maximum, jit_options=_OPTIONS, strict=False)
def _row_maximum(row: Any) -> Any:
    chosen = _row_maximum32 if row.dtype.bitwidth == 32 else _row_maximum64
    return lambda row: chosen(row)  # noqa: PLW0108
