"""Compiled code that calls compiled code: several kernels and products in a row, and Python waits for the last.

A unit of work is the address of a function and that of a table, which tells it where its arrays and numbers lie. All
that passes through Python for a whole row of units is two whole numbers. Products are made by the loops that
``np.matmul`` itself runs; where they are is part of what NumPy promises to compiled extensions (the structs
PyUFuncObject and PyArrayObject of its C interface). Importing this module imports numba.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import cfunc, extending, njit, types
from numba.core import cgutils

__all__ = ["PRODUCT", "array", "entry_of", "memory", "number", "play", "play_freely", "point", "product_loop", "put"]

_HEAD = object.__basicsize__  # where a struct's own fields begin: at the memory of an array, at the counts of a ufunc
_WORD = 8
_BYTE, _WHOLE, _VOID = ir.IntType(8), ir.IntType(64), ir.VoidType()
_REAL, _SHORT = ir.DoubleType(), ir.FloatType()
_carray: Any = getattr(numba, "carray")  # noqa: B009 - the module does not say that it has it


def _written(answer: Any, given: tuple[Any, ...], write: Callable[..., Any]) -> Any:
    """A function for compiled code, as LLVM's instructions."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        written = write(builder, *args)
        return context.get_dummy_value() if answer == types.void else written

    found = answer(*given), code
    takers: dict[int, Any] = {1: lambda _, a: found, 2: lambda _, a, b: found, 4: lambda _, a, b, c, d: found}
    return extending.intrinsic(takers[len(given)])


def _at(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _calling(builder: Any, function: Any, *words: Any) -> Any:
    return builder.call(_at(builder, function, ir.FunctionType(_VOID, [_WHOLE] * len(words))), words)


def _calling_loop(builder: Any, loop: Any, arrays: Any, counts: Any, steps: Any) -> Any:
    """``loop(char **arrays, intp *counts, intp *steps, void *)``, which moves the three pointers that it is given."""
    three = ir.ArrayType(_WHOLE, 3)
    own = cgutils.alloca_once(builder, three)  # type: ignore[no-untyped-call]
    builder.store(builder.load(_at(builder, arrays, three)), own)
    return _calling(builder, loop, builder.ptrtoint(own, _WHOLE), counts, steps, ir.Constant(_WHOLE, 0))


_int, _float, _void = types.int64, types.float64, types.void
_pointer = _written(types.voidptr, (_int,), lambda builder, a: _at(builder, a, _BYTE))
_whole = _written(_int, (_int,), lambda builder, a: builder.load(_at(builder, a, _WHOLE)))
_real = _written(_float, (_int,), lambda builder, a: builder.load(_at(builder, a, _REAL)))
_set_whole = _written(_void, (_int, _int), lambda builder, a, x: builder.store(x, _at(builder, a, _WHOLE)))
_set_real = _written(_void, (_int, _float), lambda builder, a, x: builder.store(x, _at(builder, a, _REAL)))
_set_short = _written(_void, (_int, types.float32), lambda builder, a, x: builder.store(x, _at(builder, a, _SHORT)))
_call = _written(_void, (_int, _int), _calling)
_call_loop = _written(_void, (_int,) * 4, _calling_loop)


# ------------------------------------------------------------------------------------- what the entry of a kernel reads
@njit
def memory(address: Any, shape: Any, dtype: Any) -> Any:
    """The array at an address."""
    return _carray(_pointer(address), shape, dtype)


@njit
def array(table: Any, k: Any, dtype: Any) -> Any:
    """The array whose address and length stand at place k."""
    return memory(_whole(table + _WORD * k), (_whole(table + _WORD * (k + 1)),), dtype)


@njit
def number(table: Any, k: Any) -> Any:
    """The number whose address stands at place k."""
    return _real(_whole(table + _WORD * k))


@njit
def put(table: Any, k: Any, value: Any) -> None:
    """Write a number to the address at place k, and as a float32 behind it, for whoever reads it as such."""
    cell = _whole(table + _WORD * k)
    _set_real(cell, np.float64(value))
    _set_short(cell + _WORD, np.float32(value))


# ---------------------------------------------------------------------------------------------------- what Python calls
@njit
def _run(first: Any, last: Any) -> None:
    for unit in range(np.int64(first), np.int64(last), 2 * _WORD):
        _call(_whole(unit), _whole(unit + _WORD))


@njit("void(float64, float64)", cache=True)
def _play(first: Any, last: Any) -> None:
    _run(first, last)


@njit("void(float64, float64)", cache=True, nogil=True)
def _play_freely(first: Any, last: Any) -> None:
    _run(first, last)


@njit("void(float64, float64, int64)", cache=True)
def _point(first: Any, last: Any, array: Any) -> None:
    memory = _whole(array + _HEAD)
    for row in range(np.int64(first), np.int64(last), 2 * _WORD):
        _set_whole(_whole(row), memory + _whole(row + _WORD))


@cfunc("void(int64)", cache=True)
def _product(table: Any) -> None:
    _call_loop(_whole(table), table + _WORD, table + 4 * _WORD, table + 8 * _WORD)


def entry_of(compiled: Any) -> Callable[..., Any]:
    """A compiled function without numba's look at the types of its arguments, which takes ten times as long."""
    (found,) = compiled.overloads.values()
    entry: Callable[..., Any] = found.entry_point
    return entry


play = entry_of(_play)
"""``play(first, last)``: run the units in the table from one address to another, each a function and its table.

Both are given as floating numbers, which hold addresses exactly and are taken apart in a third of the time.
"""

play_freely = entry_of(_play_freely)
"""The same while other threads of Python go on; letting them and taking turns again takes longer than small units."""

point = entry_of(_point)
"""``point(first, last, id(array))``: write where an array's memory lies. Rows are where to, and what to add."""

PRODUCT: Any = _product.address
"""A matrix product: loop; addresses of both operands and the answer; counts of products, rows, inner entries, columns;
bytes from one to the next, of the three arrays from product to product, then of each along its rows and columns.
"""


def product_loop(dtype: np.dtype[Any]) -> int:
    """Address of the loop with which ``np.matmul`` multiplies matrices of a dtype."""
    kinds = f"{dtype.char * 2}->{dtype.char}"
    loops = ctypes.cast(id(np.matmul) + _HEAD + 4 * ctypes.sizeof(ctypes.c_int), ctypes.POINTER(ctypes.c_void_p))
    table = ctypes.cast(loops[0], ctypes.POINTER(ctypes.c_void_p))
    address: Any = table[np.matmul.types.index(kinds)]
    return int(address)
