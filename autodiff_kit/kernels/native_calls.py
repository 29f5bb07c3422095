"""Native calls from a table: run several units, such as kernels and products, in a row without returning to Python.

A unit is the address of a function and that of its argument table, which holds the addresses of its arrays and numbers.
Python passes only the two ends of the range of units. Matrix products call the inner loops of ``np.matmul``, which are
found in the C structs PyUFuncObject and PyArrayObject that NumPy guarantees to extensions. Importing this module
compiles them, or loads them from the cache.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

from autodiff_kit.kernels.code_cache import load_code, python_function
from autodiff_kit.kernels.llvm_compiler import array_at, call_address, local_words

__all__ = [
    "ADD_ROWS", "ARGMAX", "BLOCK_WORD", "CONVERT", "COPY", "KEEP_FAILURE", "LOOP", "MATMUL", "MOVE",
    "READ_ROWS", "SUM_ROWS", "UFUNC", "load_array", "load_number", "matmul", "matmul_loop_address", "run_large_steps",
    "run_large_units", "run_steps", "run_units", "store_number", "ufunc_loop", "write_addresses",
]  # fmt: skip

_OBJECT_HEAD_BYTES = object.__basicsize__  # size of PyObject_HEAD: the data pointer of an array follows
_WORD_BYTES = 8


# ------------------------------------------------------------------------------------- what the entry of a kernel reads
def load_word(table: Any, k: Any) -> Any:
    """Entry ``k`` of the table."""
    return array_at(table, np.int64)[k]


def load_array(table: Any, k: Any, dtype: Any) -> Any:
    """The array whose address and length are entries ``k`` and ``k + 1`` of the table; it overlaps no other."""
    return array_at(load_word(table, k), dtype, load_word(table, k + 1))


def load_number(table: Any, k: Any) -> Any:
    """The number whose address is entry ``k`` of the table."""
    return array_at(load_word(table, k), np.float64)[0]


def store_number(table: Any, k: Any, value: Any) -> None:
    """Store a number at the address in entry ``k``, as float64 and behind it as float32."""
    array_at(load_word(table, k), np.float64)[0] = value
    array_at(load_word(table, k) + _WORD_BYTES, np.float32)[0] = value


# ------------------------------------------------------------------------------------------------- what runs the units
def _run_units(first: Any, last: Any) -> None:
    for unit in range(first, last, 2 * _WORD_BYTES):
        call_address(load_word(unit, 0), load_word(unit, 1))


def _write_addresses(first: Any, last: Any, array: Any) -> None:
    data = load_word(array + _OBJECT_HEAD_BYTES, 0)
    for row in range(first, last, 2 * _WORD_BYTES):
        array_at(load_word(row, 0), np.int64)[0] = data + load_word(row, 1)


def _run_steps(count: Any, first: Any, last: Any, first_place: Any, last_place: Any) -> None:
    for _ in range(count):
        _run_units(first, last)
        for row in range(first_place, last_place, 2 * _WORD_BYTES):
            place = array_at(load_word(row, 0), np.int64)
            place[0] += load_word(row, 1)


def _run_loop(table: Any) -> None:
    for k in range(5, 5 + 2 * load_word(table, 4), 2):
        array_at(load_word(table, k), np.int64)[0] = load_word(table, k + 1)
    count = load_word(table, 5 + 2 * load_word(table, 4))
    _run_steps(count, load_word(table, 0), load_word(table, 1), load_word(table, 2), load_word(table, 3))


def _keep_failure(table: Any) -> None:
    if array_at(load_word(table, 0), np.int32)[0] != 0:
        array_at(load_word(table, 1), np.int32)[0] = np.int32(1)


def matmul(table: Any) -> None:
    """Run the unit :data:`MATMUL`."""
    arrays = local_words(3)  # the loop advances the addresses that it is given
    for k in range(3):
        array_at(arrays, np.int64)[k] = load_word(table, k + 1)
    call_address(load_word(table, 0), arrays, table + 4 * _WORD_BYTES, table + 8 * _WORD_BYTES, 0)


def _call_ufunc(table: Any) -> None:
    count, arrays = load_word(table, 2), local_words(4)  # a loop may advance the addresses that it is given
    for k in range(count):
        array_at(arrays, np.int64)[k] = load_word(table, 3 + k)
    sizes = table + (3 + count) * _WORD_BYTES
    call_address(load_word(table, 0), arrays, sizes, sizes + _WORD_BYTES, load_word(table, 1))


def _convert(table: Any) -> None:
    array_at(load_word(table, 1), np.float64)[0] = np.float64(load_word(load_word(table, 0), 0))


def _copy(table: Any) -> None:
    for k in range(1, 1 + 3 * load_word(table, 0), 3):
        source, target, size = load_word(table, k), load_word(table, k + 1), load_word(table, k + 2)
        if size == _WORD_BYTES:
            array_at(target, np.int64)[0] = load_word(source, 0)
        else:
            given, place = array_at(source, np.uint8, size), array_at(target, np.uint8, size)
            for j in range(size):
                place[j] = given[j]


def _move(table: Any) -> None:
    source, target = array_at(load_word(table, 0), np.int32), array_at(load_word(table, 1), np.int32)
    places, width = load_array(table, 2, np.int64), load_word(table, 4)
    for k in range(0, places.shape[0], 2):
        row, place = source[places[k] :], target[places[k + 1] :]
        for j in range(width):
            place[j] = row[j]


def _sum_rows(table: Any, dtype: Any) -> None:
    x, places, out = load_array(table, 0, dtype), load_array(table, 2, np.int64), load_array(table, 4, dtype)
    width, sizes = load_word(table, 6), load_array(table, 7, dtype)
    out[: out.shape[0]] = 0
    for i in range(places.shape[0]):
        row, place = x[i * width :], out[places[i] :]
        for j in range(width):
            place[j] += row[j]
    for i in range(sizes.shape[0]):
        mean = out[i * width :]
        for j in range(width):
            mean[j] = mean[j] / sizes[i]


def _sum_rows32(table: Any) -> None:
    _sum_rows(table, np.float32)


def _sum_rows64(table: Any) -> None:
    _sum_rows(table, np.float64)


def _row_number(table: Any, k: Any) -> Any:
    """Row number ``k``, counted from the start; 0 in place of one that is out of range, which is noted."""
    row, count = load_array(table, 1, np.int64)[k], load_word(table, 3)
    if row < 0:
        row += count
    if row < 0 or row >= count:
        array_at(load_word(table, 7), np.int32)[0] = np.int32(1)
        row = 0
    return row


def _read_rows(table: Any, dtype: Any) -> None:
    source, width, target = array_at(load_word(table, 0), dtype), load_word(table, 4), load_array(table, 5, dtype)
    array_at(load_word(table, 7), np.int32)[0] = np.int32(0)
    for k in range(load_word(table, 2)):
        row, place = source[_row_number(table, k) * width :], target[k * width :]
        for j in range(width):
            place[j] = row[j]


def _add_rows(table: Any, dtype: Any) -> None:
    source, width, target = array_at(load_word(table, 0), dtype), load_word(table, 4), load_array(table, 5, dtype)
    array_at(load_word(table, 7), np.int32)[0] = np.int32(0)
    target[: target.shape[0]] = 0
    for k in range(load_word(table, 2)):
        row, place = source[k * width :], target[_row_number(table, k) * width :]
        for j in range(width):
            place[j] += row[j]


def _argmax_places(table: Any, dtype: Any, sign: Any) -> None:
    """Write the index of the first maximum of ``sign * x``, or of the first NaN, along an axis."""
    x, out = load_array(table, 0, dtype), load_array(table, 2, np.int64)
    length, inner, k = load_word(table, 4), load_word(table, 5), 0
    for block in range(0, x.shape[0], length * inner):
        for first in range(block, block + inner):
            best, place = x[first] * sign, 0
            for j in range(1, length):
                value = x[first + j * inner] * sign
                if best == best and (best < value or value != value):
                    best, place = value, j
            out[k] = place
            k += 1


def _argmax32(table: Any) -> None:
    _argmax_places(table, np.float32, np.float32(1))


def _argmax64(table: Any) -> None:
    _argmax_places(table, np.float64, 1.0)


def _argmin32(table: Any) -> None:
    _argmax_places(table, np.float32, np.float32(-1))


def _argmin64(table: Any) -> None:
    _argmax_places(table, np.float64, -1.0)


def _read_rows32(table: Any) -> None:
    _read_rows(table, np.float32)


def _read_rows64(table: Any) -> None:
    _read_rows(table, np.float64)


def _add_rows32(table: Any) -> None:
    _add_rows(table, np.float32)


def _add_rows64(table: Any) -> None:
    _add_rows(table, np.float64)


_here = sys.modules[__name__]
_for_python = load_code("", {}, [_here], ["_run_units", "_write_addresses", "_run_steps"], python=True)
_names = ["_copy", "matmul", "_move", "_run_loop", "_keep_failure", "_call_ufunc", "_convert"]
_OF_ROWS = ("_sum_rows", "_read_rows", "_add_rows")
_names += ["_run_units", "_run_steps"]
_names += [f"{name}{bits}" for name in (*_OF_ROWS, "_argmax", "_argmin") for bits in (32, 64)]
_units = load_code("", {}, [_here], _names)

run_units = python_function(_for_python["_run_units"])
"""``run_units(first, last)``: run the units of a table between two addresses, each a function and its arguments.

Addresses are passed as floats, which hold them exactly and are unboxed in a third of the time of integers.
"""

write_addresses = python_function(_for_python["_write_addresses"])
"""``write_addresses(first, last, id(array))``: store the array's address in each row's destination, plus its offset."""

run_steps = python_function(_for_python["_run_steps"])
"""``run_steps(count, first, last, first_place, last_place)``: run units again and again.

After each step, the rows between the last two addresses are followed: each adds a number to the address at a place.
"""

_released_units = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 2)(_units["_run_units"])
_released_steps = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(_units["_run_steps"])


def run_large_units(first: float, last: float) -> None:
    """:data:`run_units` without Python's lock, so that other threads run meanwhile; it takes a microsecond more."""
    _released_units(int(first), int(last))


def run_large_steps(count: int, *ends: float) -> None:
    """:data:`run_steps` without Python's lock."""
    _released_steps(count, *map(int, ends))


COPY: Any = _units["_copy"]
"""Address of the unit that copies memory. Its table: how often, then for each: source, target, number of bytes."""

BLOCK_WORD = 4
MOVE: Any = _units["_move"]
"""Address of the unit that copies blocks of equal length.

Its table: addresses of source and target; address and length of the places, one in each for each block; and the length
of a block, all in words of :data:`BLOCK_WORD` bytes.
"""

SUM_ROWS: Any = {"f": _units["_sum_rows32"], "d": _units["_sum_rows64"]}
"""Addresses of the units that write sums of rows.

Their table: address and length of the rows, of the place of each row's sum, and of the result; the length of a row;
address and length of numbers that divide the rows of the result, or length 0.
"""

ARGMAX: Any = {
    (name, char): _units[f"_{name}{bits}"] for name in ("argmax", "argmin") for char, bits in (("f", 32), ("d", 64))
}
"""Addresses of the units that find where the largest or smallest entries are, by name and dtype.

Their table: address and length of the array, and of the result; the length of the axis; the stride along it, in
entries.
"""

READ_ROWS: Any = {"f": _units["_read_rows32"], "d": _units["_read_rows64"]}
"""Addresses of the units that read rows whose numbers are computed.

Their table: address of the source; address and number of the row numbers; how many rows there are; the length of a row;
address and length of the target; address of a number that says whether a row number was out of range.
"""

ADD_ROWS: Any = {"f": _units["_add_rows32"], "d": _units["_add_rows64"]}
"""Addresses of the units that write zeros and add rows whose numbers are computed. Tables as for :data:`READ_ROWS`."""

CONVERT: Any = _units["_convert"]
"""Address of the unit that converts an int64 to float64. Its table: both addresses."""

UFUNC: Any = _units["_call_ufunc"]
"""Address of the unit that calls an elementwise function of NumPy.

Its table: the two words of :func:`ufunc_loop`; how many arrays; their addresses, the result last; the number of
entries; the bytes between entries of each array.
"""

LOOP: Any = _units["_run_loop"]
"""Address of the unit that runs a loop inside the step of another.

Its table: the last four arguments of :data:`run_steps`; the number of rows that follow; for each, a place and the
address that is stored there first; and the number of steps.
"""

KEEP_FAILURE: Any = _units["_keep_failure"]
"""Address of the unit that sets a second number to 1 where the first is not 0. Its table: the addresses of both."""

MATMUL: Any = _units["matmul"]
"""Address of the unit that multiplies matrices.

Its table: the inner loop; addresses of both operands and the result; counts of products, rows, inner entries and
columns; strides in bytes, of the three arrays between products, then of each between rows and columns.
"""


def ufunc_loop(ufunc: np.ufunc, types: str) -> tuple[int, int]:
    """Address of the inner loop of a ufunc for dtypes such as ``"dd->d"``, and what it takes as its last argument."""
    place = id(ufunc) + _OBJECT_HEAD_BYTES + 4 * ctypes.sizeof(ctypes.c_int)  # of the pointers to the loops
    pointers = ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p) * 2)
    loops, arguments = ctypes.cast(place, pointers).contents
    k = ufunc.types.index(types)
    return int(loops[k]), int(arguments[k] or 0)


def matmul_loop_address(dtype: np.dtype[Any]) -> int:
    """Address of the inner loop of ``np.matmul`` for a dtype."""
    return ufunc_loop(np.matmul, f"{dtype.char * 2}->{dtype.char}")[0]
