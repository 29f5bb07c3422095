"""LAPACK and BLAS as native units (:mod:`autodiff_kit.kernels.native_calls`), through SciPy's functions for Cython.

SciPy offers the addresses of LAPACK's functions to other packages' compiled code; numba finds them. In Fortran every
argument is an address, so the table of such a unit holds the function and the addresses of its arguments. Importing
this module imports numba.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, types
from numba.extending import get_cython_function_address

from autodiff_kit.kernels.native_calls import array_at, emit_call, llvm_intrinsic, load_word, pointer_to

__all__ = ["CALL", "CLEAR_UPPER", "TRANSPOSE", "ZERO_ON_DIAGONAL", "has_plain_integers", "lapack_address"]

_WORD_BYTES = 8


def _table_call(count: int) -> Any:
    """An intrinsic that calls the function in entry 0 of a table with the ``count`` addresses that follow."""

    def write(builder: Any, table: Any) -> Any:
        places = [builder.add(table, ir.Constant(table.type, _WORD_BYTES * k)) for k in range(count + 1)]
        function, *words = [builder.load(pointer_to(builder, place, table.type)) for place in places]
        return emit_call(builder, function, *words)

    return llvm_intrinsic(types.void, (types.int64,), write)


_call_5, _call_6, _call_9, _call_11 = map(_table_call, (5, 6, 9, 11))


@cfunc("void(int64)", cache=True)
def _of_5(table: Any) -> None:
    _call_5(table)


@cfunc("void(int64)", cache=True)
def _of_6(table: Any) -> None:
    _call_6(table)


@cfunc("void(int64)", cache=True)
def _of_9(table: Any) -> None:
    _call_9(table)


@cfunc("void(int64)", cache=True)
def _of_11(table: Any) -> None:
    _call_11(table)


@cfunc("void(int64)", cache=True)
def _clear_upper(table: Any) -> None:
    n = load_word(table, 1)
    if load_word(table, 2) == _WORD_BYTES:
        x = array_at(load_word(table, 0), (n, n), np.int64)
        for i in range(n):
            for j in range(i + 1, n):
                x[i, j] = 0
    else:
        y = array_at(load_word(table, 0), (n, n), np.int32)
        for i in range(n):
            for j in range(i + 1, n):
                y[i, j] = 0


@cfunc("void(int64)", cache=True)
def _transpose(table: Any) -> None:
    rows, columns = load_word(table, 2), load_word(table, 3)
    if load_word(table, 4) == _WORD_BYTES:
        x = array_at(load_word(table, 0), (rows, columns), np.int64)
        y = array_at(load_word(table, 1), (columns, rows), np.int64)
        for i in range(rows):
            for j in range(columns):
                y[j, i] = x[i, j]
    else:
        z = array_at(load_word(table, 0), (rows, columns), np.int32)
        w = array_at(load_word(table, 1), (columns, rows), np.int32)
        for i in range(rows):
            for j in range(columns):
                w[j, i] = z[i, j]


@cfunc("void(int64)", cache=True)
def _zero_on_diagonal(table: Any) -> None:
    n, found = load_word(table, 1), np.int32(0)
    if load_word(table, 2) == _WORD_BYTES:
        x = array_at(load_word(table, 0), (n, n), np.float64)
        for i in range(n):
            if x[i, i] == 0:
                found = np.int32(i + 1)
    else:
        y = array_at(load_word(table, 0), (n, n), np.float32)
        for i in range(n):
            if y[i, i] == 0:
                found = np.int32(i + 1)
    array_at(load_word(table, 3), (1,), np.int32)[0] = found


CALL: dict[int, Any] = {count: unit.address for count, unit in ((5, _of_5), (6, _of_6), (9, _of_9), (11, _of_11))}
"""By the number of arguments, the unit that calls a function. Table: the function, and the address of each argument."""

CLEAR_UPPER: Any = _clear_upper.address
"""Address of the unit that writes zeros above a matrix's diagonal. Table: address, rows, bytes of an entry."""

TRANSPOSE: Any = _transpose.address
"""Address of the unit that copies a matrix transposed. Table: both addresses, rows, columns, bytes of an entry."""

ZERO_ON_DIAGONAL: Any = _zero_on_diagonal.address
"""Address of the unit that looks for a 0 on a diagonal. Table: address, rows, bytes of an entry, where to say it."""


@cache
def has_plain_integers() -> bool:
    """Whether SciPy's LAPACK counts in C's int, as the units do; a build for larger matrices counts in 64 bits."""
    from scipy.linalg import cython_lapack

    return "void (char *, int *, " in repr(cython_lapack.__pyx_capi__["dpotrf"])


def lapack_address(name: str, dtype: np.dtype[Any]) -> int:
    """Address of SciPy's function for a dtype, such as ``potrf``; BLAS' and LAPACK's lie in two modules."""
    module = "scipy.linalg.cython_blas" if name == "trsm" else "scipy.linalg.cython_lapack"
    address: int = get_cython_function_address(module, ("s" if dtype == np.float32 else "d") + name)
    return address
