"""Kernel sources run as plain Python: slow, but an exact reference."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from autodiff_kit.compile.run.execution_plan import ExecutionPlan
from autodiff_kit.kernels import window_loops

FAR = {np.float32: 8192.0, np.float64: 1e5}


class _Math:
    """The functions of ``math`` with NumPy's behaviour: they never raise."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return getattr(np, name)  # type: ignore[no-any-return]


def _rounded(function: Callable[..., Any], kind: Any) -> Callable[[Any], Any]:
    return lambda x: kind(function(kind(x)))


def _names(bits: str, kind: Any) -> dict[str, Any]:
    def far(x: Any, n: int, step: int) -> bool:
        return bool(np.any(np.abs(x[: (n - 1) * step + 1 : step] if step else x[:1]) > FAR[kind]))

    return {
        f"exp{bits}": _rounded(np.exp, kind),
        f"log{bits}": _rounded(np.log, kind),
        f"log1p{bits}": _rounded(np.log1p, kind),
        f"logaddexp{bits}": lambda x, y: kind(np.logaddexp(kind(x), kind(y))),
        f"tanh{bits}": _rounded(np.tanh, kind),
        f"sincos{bits}": lambda x: (kind(np.sin(x)), kind(np.cos(x))),
        f"sort_key{bits}": lambda x: (1, x) if x != x else (0, x),  # nan is the largest
        f"value_of_key{bits}": lambda key: key[1],
        f"LOWEST_KEY{bits}": (-1, 0),
        f"has_large_angle{bits}": far,
        f"MAX_ANGLE{bits}": kind(FAR[kind]),
    }


def _turned(x: Any, n: int, step: int, out: Any) -> Any:
    for j in range(n):
        a = float(x[j * step])
        out[j] = math.atan2(math.sin(a), math.cos(a)) if math.isfinite(a) else math.nan
    return out


_WINDOW_LOOPS = {name: f for name, f in vars(window_loops).items() if isinstance(f, FunctionType)}


def _multiplied(a: Any, b: Any, out: Any, shape: Any, steps: Any, _: Any) -> None:
    (m, k, n), (down, along, other_down, other_along), size = shape, steps, a.itemsize
    first = np.lib.stride_tricks.as_strided(a, (m, k), (down * size, along * size))
    second = np.lib.stride_tricks.as_strided(b, (k, n), (other_down * size, other_along * size))
    out[: m * n] = (first @ second).ravel()


_entries: list[Any] = []


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _array(t: int, k: int, dtype: Any) -> Any:
    size = np.dtype(dtype).itemsize * _word(t + 8 * k + 8)
    return np.frombuffer((ctypes.c_char * size).from_address(_word(t + 8 * k)), dtype)


def _number(t: int, k: int) -> float:
    return ctypes.c_double.from_address(_word(t + 8 * k)).value


def _put(t: int, k: int, value: Any) -> None:
    ctypes.c_double.from_address(_word(t + 8 * k)).value = value
    with np.errstate(all="ignore"):
        ctypes.c_float.from_address(_word(t + 8 * k) + 8).value = np.float32(value)


def compiler(text: str) -> int:
    """A replacement in Python for :func:`autodiff_kit.compile.run.kernel_loader.load_kernel`."""
    space: dict[str, Any] = {
        "math": _Math(),
        "np": np,
        "add_reassociable": lambda a, b: a + b,
        "reduce_angles": _turned,
    }
    space |= {name: FunctionType(f.__code__, space) for name, f in _WINDOW_LOOPS.items()}
    space |= {"load_word": lambda t, k: _word(t + 8 * k), "multiply": _multiplied, "SHORT": window_loops.SHORT}
    space |= {"load_array": _array, "load_number": _number, "store_number": _put}
    for bits, kind in (("32", np.float32), ("64", np.float64)):
        space |= _names(bits, kind)
    head, _, body = text.partition("\n\n\n")
    space["real"] = eval(head.partition("\nreal = ")[2].strip(), space)
    exec("\n".join(line for line in body.split("\n") if not line.startswith("@")), space)

    def run(table: int) -> None:
        with np.errstate(all="ignore"):
            space["entry"](table)

    _entries.append(ctypes.CFUNCTYPE(None, ctypes.c_int64)(run))
    address = ctypes.cast(_entries[-1], ctypes.c_void_p).value
    assert address is not None
    return address


def plans(compiled: Any) -> list[ExecutionPlan]:
    return [plan for kept in compiled._plans.values() for _, plan in kept]


def build(compiled: Any, how: Callable[[str], Any] | None = compiler) -> list[ExecutionPlan]:
    """Compile the kernels of all plans in this thread."""
    found = plans(compiled)
    for plan in found:
        plan.build(how)
    return found
