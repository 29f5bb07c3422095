"""The loops themselves. Importing this module imports numba.

All take C-contiguous arrays of one dtype, float32 or float64: every other layout would be a compilation of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

__all__ = ["compile_all"]

_SOURCES: dict[str, Callable[..., Any]] = {}
_EXAMPLES: dict[str, Callable[[Any], tuple[Any, ...]]] = {}


def _kernel(example: Callable[[Any], tuple[Any, ...]], sums: bool = False) -> Callable[..., Any]:
    """The one place that decides how a loop is compiled.

    Results go to a disk cache; division by 0 gives inf as NumPy's. Only sums may be reordered, which lets them use the
    processor's wide registers; nothing may assume that nan and inf do not occur.
    """
    flags = {"reassoc", "contract", "nsz"} if sums else False

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        compiled = numba.njit(cache=True, error_model="numpy", fastmath=flags, nogil=True)(function)
        _SOURCES[function.__name__] = compiled
        _EXAMPLES[function.__name__] = example
        return compiled

    return decorate


def compile_all() -> dict[str, Callable[..., Any]]:
    """Run every loop once on a small example of each dtype."""
    for name, loop in _SOURCES.items():
        for dtype in (np.float32, np.float64):
            loop(*_EXAMPLES[name](dtype))
    return dict(_SOURCES)


def _rows(dtype: Any) -> tuple[Any, ...]:
    return np.zeros((2, 3), dtype), np.empty((2, 3), dtype)


@_kernel(_rows, sums=True)
def softmax_rows(x: Any, out: Any) -> None:
    """Each row to weights that sum to 1."""
    rows, columns = x.shape
    for i in range(rows):
        top = x[i, 0]
        for j in range(1, columns):
            if x[i, j] > top or x[i, j] != x[i, j]:
                top = x[i, j]
        total = x.dtype.type(0)
        for j in range(columns):
            e = np.exp(x[i, j] - top)
            out[i, j] = e
            total += e
        for j in range(columns):
            out[i, j] /= total


@_kernel(_rows, sums=True)
def softmax_pull_rows(g: Any, y: Any) -> None:
    """``y * (g - sum(y * g))`` by rows, written over g."""
    rows, columns = y.shape
    for i in range(rows):
        total = y.dtype.type(0)
        for j in range(columns):
            total += g[i, j] * y[i, j]
        for j in range(columns):
            g[i, j] = y[i, j] * (g[i, j] - total)


def _adam_example(dtype: Any) -> tuple[Any, ...]:
    four = [np.zeros(3, dtype) for _ in range(5)]
    one = np.dtype(dtype).type
    return (*four, one(0.9), one(0.1), one(0.999), one(0.001), one(0.1), one(0.001), one(0.1), one(1e-8))


@_kernel(_adam_example)
def adam_step(
    w: Any,
    g: Any,
    m: Any,
    v: Any,
    step: Any,
    b1: Any,
    a1: Any,
    b2: Any,
    a2: Any,
    c1: Any,
    c2: Any,
    rate: Any,
    eps: Any,
) -> None:
    """One step of Adam, in NumPy's order of operations, so that both give the same bits; ``m`` and ``v`` in place."""
    for i in range(w.size):
        m[i] = b1 * m[i] + a1 * g[i]
        v[i] = b2 * v[i] + (a2 * g[i]) * g[i]
        step[i] = rate * (m[i] / c1) / (np.sqrt(v[i] / c2) + eps)


@_kernel(lambda dtype: (np.zeros((2, 3), dtype), np.zeros(2, np.int64), np.zeros((2, 3), dtype)))
def add_rows(out: Any, ids: Any, rows: Any) -> None:
    """``out[ids[k]] += rows[k]``, in order, repeats added up."""
    for k in range(ids.size):
        for j in range(out.shape[1]):
            out[ids[k], j] += rows[k, j]
