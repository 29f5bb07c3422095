"""Native calls from a table: run several kernels and matrix products in a row without returning to Python.

A unit is the address of a function and that of its argument table, which holds the addresses of its arrays and numbers.
Python passes only the two ends of the range of units. Matrix products call the inner loops of ``np.matmul``, which are
found in the C structs PyUFuncObject and PyArrayObject that NumPy guarantees to extensions. Importing this module
imports numba.
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

from autodiff_kit.kernels.inlining import inlined

__all__ = [
    "COPY", "MATMUL", "MAXIMUM", "array_at", "emit_call", "llvm_intrinsic", "load_array", "load_number", "load_word",
    "matmul_loop_address", "native_entry", "pointer_to", "run_steps", "run_units", "store_number", "write_addresses",
]  # fmt: skip

_OBJECT_HEAD_BYTES = object.__basicsize__  # size of PyObject_HEAD: the data pointer of an array follows
_WORD_BYTES = 8
_INT8, _INT64, _VOID = ir.IntType(8), ir.IntType(64), ir.VoidType()
_DOUBLE, _FLOAT = ir.DoubleType(), ir.FloatType()
_carray: Any = getattr(numba, "carray")  # noqa: B009 - the module does not say that it has it


def llvm_intrinsic(answer: Any, given: tuple[Any, ...], write: Callable[..., Any]) -> Any:
    """A numba intrinsic with the given result and parameter types, whose LLVM instructions ``write`` builds."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        written = write(builder, *args)
        return context.get_dummy_value() if answer == types.void else written

    found = answer(*given), code
    takers: dict[int, Any] = {1: lambda _, a: found, 2: lambda _, a, b: found, 4: lambda _, a, b, c, d: found}
    return extending.intrinsic(takers[len(given)])


def pointer_to(builder: Any, address: Any, kind: Any) -> Any:
    """LLVM's pointer to values of a type at an address."""
    return builder.inttoptr(address, kind.as_pointer())


def emit_call(builder: Any, function: Any, *words: Any) -> Any:
    """LLVM's call of the function at an address with 64-bit words."""
    return builder.call(pointer_to(builder, function, ir.FunctionType(_VOID, [_INT64] * len(words))), words)


def _emit_ufunc_loop_call(builder: Any, loop: Any, arrays: Any, counts: Any, steps: Any) -> Any:
    """Call ``loop(char **arrays, intp *counts, intp *steps, void *)``, which advances the pointers it is given."""
    three = ir.ArrayType(_INT64, 3)
    own = cgutils.alloca_once(builder, three)  # type: ignore[no-untyped-call]
    builder.store(builder.load(pointer_to(builder, arrays, three)), own)
    return emit_call(builder, loop, builder.ptrtoint(own, _INT64), counts, steps, ir.Constant(_INT64, 0))


_int, _float, _void = types.int64, types.float64, types.void
_as_pointer = llvm_intrinsic(types.voidptr, (_int,), lambda builder, a: pointer_to(builder, a, _INT8))
_load_int64 = llvm_intrinsic(_int, (_int,), lambda builder, a: builder.load(pointer_to(builder, a, _INT64)))
_load_float64 = llvm_intrinsic(_float, (_int,), lambda builder, a: builder.load(pointer_to(builder, a, _DOUBLE)))
_store_int64 = llvm_intrinsic(
    _void, (_int, _int), lambda builder, a, x: builder.store(x, pointer_to(builder, a, _INT64))
)
_store_float64 = llvm_intrinsic(
    _void, (_int, _float), lambda builder, a, x: builder.store(x, pointer_to(builder, a, _DOUBLE))
)
_store_float32 = llvm_intrinsic(
    _void, (_int, types.float32), lambda builder, a, x: builder.store(x, pointer_to(builder, a, _FLOAT))
)
_call_function = llvm_intrinsic(_void, (_int, _int), emit_call)
_call_ufunc_loop = llvm_intrinsic(_void, (_int,) * 4, _emit_ufunc_loop_call)


# ------------------------------------------------------------------------------------- what the entry of a kernel reads
@inlined()
def array_at(address: Any, shape: Any, dtype: Any) -> Any:
    """The array at an address."""
    return _carray(_as_pointer(address), shape, dtype)


@inlined()
def load_array(table: Any, k: Any, dtype: Any) -> Any:
    """The array whose address and length are entries ``k`` and ``k + 1`` of the table."""
    return array_at(_load_int64(table + _WORD_BYTES * k), (_load_int64(table + _WORD_BYTES * (k + 1)),), dtype)


@inlined()
def load_word(table: Any, k: Any) -> Any:
    """Entry ``k`` of the table."""
    return _load_int64(table + _WORD_BYTES * k)


@inlined()
def load_number(table: Any, k: Any) -> Any:
    """The number whose address is entry ``k`` of the table."""
    return _load_float64(_load_int64(table + _WORD_BYTES * k))


@inlined()
def store_number(table: Any, k: Any, value: Any) -> None:
    """Store a number at the address in entry ``k``, as float64 and behind it as float32."""
    cell = _load_int64(table + _WORD_BYTES * k)
    _store_float64(cell, np.float64(value))
    _store_float32(cell + _WORD_BYTES, np.float32(value))


# ---------------------------------------------------------------------------------------------------- what Python calls
@njit("void(float64, float64)", cache=True)
def _run_units(first: Any, last: Any) -> None:
    for unit in range(np.int64(first), np.int64(last), 2 * _WORD_BYTES):
        _call_function(_load_int64(unit), _load_int64(unit + _WORD_BYTES))


@njit("void(float64, float64, int64)", cache=True)
def _write_addresses(first: Any, last: Any, load_array: Any) -> None:
    array_at = _load_int64(load_array + _OBJECT_HEAD_BYTES)
    for row in range(np.int64(first), np.int64(last), 2 * _WORD_BYTES):
        _store_int64(_load_int64(row), array_at + _load_int64(row + _WORD_BYTES))


@cfunc("void(int64)", cache=True)
def _matmul(table: Any) -> None:
    _call_ufunc_loop(_load_int64(table), table + _WORD_BYTES, table + 4 * _WORD_BYTES, table + 8 * _WORD_BYTES)


@cfunc("void(int64)", cache=True)
def _copy(table: Any) -> None:
    for k in range(1, 1 + 3 * _load_int64(table), 3):
        source, target, size = load_word(table, k), load_word(table, k + 1), load_word(table, k + 2)
        if size == _WORD_BYTES:
            _store_int64(target, _load_int64(source))
        else:
            old, new = array_at(source, (size,), np.uint8), array_at(target, (size,), np.uint8)
            for j in range(size):
                new[j] = old[j]


@cfunc("void(int64)", cache=True)
def _maximum(table: Any) -> None:
    outer, count, inner = load_word(table, 2), load_word(table, 3), load_word(table, 4)
    x = array_at(load_word(table, 0), (outer, count, inner), np.float64)
    found = array_at(load_word(table, 1), (outer, inner), np.float64)
    for i in range(outer):
        for j in range(inner):
            found[i, j] = x[i, 0, j]
        for k in range(1, count):
            for j in range(inner):
                if x[i, k, j] > found[i, j] or x[i, k, j] != x[i, k, j]:  # NaN is the largest
                    found[i, j] = x[i, k, j]


@njit("void(float64, float64, float64, float64, float64)", cache=True)
def _run_steps(count: Any, first: Any, last: Any, first_place: Any, last_place: Any) -> None:
    for _ in range(np.int64(count)):
        for unit in range(np.int64(first), np.int64(last), 2 * _WORD_BYTES):
            _call_function(_load_int64(unit), _load_int64(unit + _WORD_BYTES))
        for row in range(np.int64(first_place), np.int64(last_place), 2 * _WORD_BYTES):
            place = _load_int64(row)
            _store_int64(place, _load_int64(place) + _load_int64(row + _WORD_BYTES))


def native_entry(compiled: Any) -> Callable[..., Any]:
    """The entry point of a compiled function without numba's type dispatch, which takes ten times as long."""
    (found,) = compiled.overloads.values()
    entry: Callable[..., Any] = found.entry_point
    return entry


run_units = native_entry(_run_units)
"""``run_units(first, last)``: run the units of a table between two addresses, each a function and its arguments.

Addresses are passed as floats, which hold them exactly and are unboxed in a third of the time of integers.
"""

write_addresses = native_entry(_write_addresses)
"""``write_addresses(first, last, id(array))``: store the array's address in each row's destination, plus its offset."""

run_steps = native_entry(_run_steps)
"""``run_steps(count, first, last, first_place, last_place)``: run units again and again.

After each step, the rows between the last two addresses are followed: each adds a number to the address at a place.
"""

COPY: Any = _copy.address
"""Address of the unit that copies memory. Its table: how often, then for each: source, target, number of bytes."""

MAXIMUM: Any = _maximum.address
"""Address of the unit for the largest float64 along an axis. Table: both addresses; entries before, along, after."""

MATMUL: Any = _matmul.address
"""Address of the unit that multiplies matrices.

Its table: the inner loop; addresses of both operands and the result; counts of products, rows, inner entries and
columns; strides in bytes, of the three arrays between products, then of each between rows and columns.
"""


def matmul_loop_address(dtype: np.dtype[Any]) -> int:
    """Address of the inner loop of ``np.matmul`` for a dtype."""
    kinds = f"{dtype.char * 2}->{dtype.char}"
    loops = ctypes.cast(
        id(np.matmul) + _OBJECT_HEAD_BYTES + 4 * ctypes.sizeof(ctypes.c_int), ctypes.POINTER(ctypes.c_void_p)
    )
    table = ctypes.cast(loops[0], ctypes.POINTER(ctypes.c_void_p))
    address: Any = table[np.matmul.types.index(kinds)]
    return int(address)
