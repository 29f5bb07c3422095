"""Loops of ReLU and cross-entropy for small arrays, where the overhead of NumPy calls exceeds the computation.

Inputs may be read-only; all arrays are C-contiguous and of one dtype. Importing this module imports numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types

from autodiff_kit.kernels.row_math import exponential, row_maximum

__all__ = ["LOOPS"]

LOOPS: dict[str, Callable[..., Any]] = {}
_IDS = types.Array(types.int64, 1, "C", readonly=True)
_MASK = types.Array(types.boolean, 1, "C", readonly=True)


def _compile_and_register(signature: Callable[[Any, Any], Any], flags: Any = False) -> Callable[..., Any]:
    """Compile for both dtypes when the module is loaded; ``signature`` gets the types of input and output arrays."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        made = [
            signature(
                lambda axes, kind=kind: types.Array(kind, axes, "C", readonly=True),
                lambda axes, kind=kind: types.Array(kind, axes, "C"),
            )
            for kind in (types.float32, types.float64)
        ]
        compiled = njit(made, cache=True, error_model="numpy", fastmath=flags, nogil=True)(function)
        LOOPS[function.__name__] = compiled
        return compiled

    return decorate


@_compile_and_register(lambda read, write: types.void(read(1), write(1)))
def relu(x: Any, out: Any) -> None:
    """``max(x, 0)``; nan stays nan."""
    zero = x.dtype.type(0)
    for i in range(x.size):
        out[i] = zero if x[i] <= zero else x[i]  # noqa: FURB136 - max would lose a nan


@_compile_and_register(lambda read, write: types.boolean(read(1), types.Array(types.boolean, 1, "C")))
def relu_mask(x: Any, out: Any) -> bool:
    """Which entries are above 0; returns False if any entry is nan."""
    numbers, zero = True, x.dtype.type(0)
    for i in range(x.size):
        out[i] = x[i] > zero
        numbers &= x[i] == x[i]
    return numbers


@_compile_and_register(lambda read, write: types.void(read(1), _MASK, write(1)))
def relu_vjp(g: Any, above: Any, out: Any) -> None:
    """``g * mask``, so that nan and inf times 0 are nan."""
    one, zero = g.dtype.type(1), g.dtype.type(0)
    for i in range(g.size):
        out[i] = g[i] * (one if above[i] else zero)


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def _sum_of_exponentials(row: Any, top: Any) -> Any:
    """``sum(exp(row - top))``, in any order of terms."""
    total = row.dtype.type(0)
    for j in range(row.size):
        total += exponential(row[j] - top)
    return total


@_compile_and_register(lambda read, write: types.boolean(read(2), _IDS, write(1)))
def cross_entropy(x: Any, labels: Any, out: Any) -> bool:
    """``log(sum(exp(x))) - x[label]`` of each row, both minus the row's maximum; False if a label is out of range.

    The order of the sum must not change: added to a large maximum first, the logarithm would lose its digits.
    """
    for i in range(x.shape[0]):
        label = labels[i]
        if label < 0 or label >= x.shape[1]:
            return False
        top = row_maximum(x[i])
        out[i] = np.log(_sum_of_exponentials(x[i], top)) - (x[i, label] - top)
    return True


@_compile_and_register(lambda read, write: types.void(read(1), read(2), _IDS, write(2)), {"reassoc", "contract", "nsz"})
def cross_entropy_vjp(g: Any, x: Any, labels: Any, out: Any) -> None:
    """The softmax of each row minus the one-hot label, times ``g``."""
    for i in range(x.shape[0]):
        row, to = x[i], out[i]
        top, total = row_maximum(row), x.dtype.type(0)
        for j in range(row.size):
            e = exponential(row[j] - top)
            to[j] = e
            total += e
        own = to[labels[i]] / total - x.dtype.type(1)
        for j in range(row.size):
            to[j] = g[i] * (to[j] / total)
        to[labels[i]] = g[i] * own
