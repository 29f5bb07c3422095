"""LAPACK and BLAS as native units (:mod:`autodiff_kit.kernels.native_calls`), through SciPy's functions for Cython.

SciPy offers the addresses of LAPACK's functions to other packages' compiled code, in capsules. In Fortran every
argument is an address, so the table of a unit that calls one holds the function and the addresses of its arguments.
Importing this module compiles its units, or loads them from the cache.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from functools import cache
from typing import Any

import numpy as np

from autodiff_kit.kernels import native_calls
from autodiff_kit.kernels.code_cache import load_code
from autodiff_kit.kernels.llvm_compiler import array_at, call_address
from autodiff_kit.kernels.native_calls import load_word

__all__ = ["CALL", "CLEAR_UPPER", "TRANSPOSE", "ZERO_ON_DIAGONAL", "has_plain_integers", "lapack_address"]

_COUNTS = (5, 6, 9, 11)  # of arguments


def _clear_upper(table: Any, dtype: Any) -> None:
    x, n = array_at(load_word(table, 0), dtype), load_word(table, 1)
    for i in range(n):
        for j in range(i + 1, n):
            x[i * n + j] = 0


def _transpose(table: Any, dtype: Any) -> None:
    x, y = array_at(load_word(table, 0), dtype), array_at(load_word(table, 1), dtype)
    rows, columns = load_word(table, 2), load_word(table, 3)
    for i in range(rows):
        for j in range(columns):
            y[j * rows + i] = x[i * columns + j]


def _zero_on_diagonal(table: Any, dtype: Any) -> None:
    x, n, found = array_at(load_word(table, 0), dtype), load_word(table, 1), array_at(load_word(table, 2), np.int32)
    found[0] = 0
    for i in range(n):
        if x[i * n + i] == 0:
            found[0] = np.int32(i + 1)


def _units() -> dict[str, int]:
    """The addresses of the units: one for each number of arguments, and the others for both sizes of numbers."""
    text = ""
    for count in _COUNTS:
        words = ", ".join(f"load_word(table, {k})" for k in range(count + 1))
        text += f"def call_{count}(table):\n    call_address({words})\n\n"
    names = [f"call_{count}" for count in _COUNTS]
    for name in ("_clear_upper", "_transpose", "_zero_on_diagonal"):
        for bits in (32, 64):
            text += f"def {name}{bits}(table):\n    {name}(table, np.float{bits})\n\n"
            names.append(f"{name}{bits}")
    space: dict[str, Any] = {"np": np, "call_address": call_address}
    return load_code(text, space, [native_calls, sys.modules[__name__]], names)


_addresses = _units()


def _by_bytes(name: str) -> dict[int, int]:
    return {4: _addresses[f"{name}32"], 8: _addresses[f"{name}64"]}


CALL: dict[int, int] = {count: _addresses[f"call_{count}"] for count in _COUNTS}
"""By the number of arguments, the unit that calls a function. Table: the function, and the address of each argument."""

CLEAR_UPPER = _by_bytes("_clear_upper")
"""By the bytes of an entry, the unit that writes zeros above a matrix's diagonal. Table: address, rows."""

TRANSPOSE = _by_bytes("_transpose")
"""By the bytes of an entry, the unit that copies a matrix transposed. Table: both addresses, rows, columns."""

ZERO_ON_DIAGONAL = _by_bytes("_zero_on_diagonal")
"""By the bytes of an entry, the unit that looks for a 0 on a diagonal. Table: address, rows, where to write its row."""


def _capsule(name: str) -> Any:
    """SciPy's capsule of a function; BLAS' and LAPACK's lie in two modules."""
    module = "cython_blas" if name.endswith("trsm") else "cython_lapack"
    return importlib.import_module(f"scipy.linalg.{module}").__pyx_capi__[name]


def _signature(capsule: Any) -> bytes:
    """The C type of the function in a capsule, which is its name."""
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    found: bytes = name(capsule)
    return found


@cache
def has_plain_integers() -> bool:
    """Whether SciPy's LAPACK counts in C's int, as the units do; a build for larger matrices counts in 64 bits."""
    return _signature(_capsule("dpotrf")).startswith(b"void (char *, int *, ")


def lapack_address(name: str, dtype: np.dtype[Any]) -> int:
    """Address of SciPy's function for a dtype, such as ``potrf``."""
    capsule = _capsule(("s" if dtype == np.float32 else "d") + name)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address: int = pointer(capsule, _signature(capsule))
    return address
