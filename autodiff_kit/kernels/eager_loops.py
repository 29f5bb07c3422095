"""Loops of eager operations: softmax, Adam, scatter-add. Importing this module imports numba.

All take C-contiguous arrays of one dtype, float32 or float64; any other layout would need another compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from autodiff_kit.kernels.row_math import exponential, row_maximum

__all__ = ["compile_all"]

_REGISTERED_LOOPS: dict[str, Callable[..., Any]] = {}
_EXAMPLES: dict[str, Callable[[Any], tuple[Any, ...]]] = {}


def _register_loop(example: Callable[[Any], tuple[Any, ...]], sums: bool = False) -> Callable[..., Any]:
    """The decorator that compiles a loop lazily and registers it with an example call.

    Results are cached on disk, and division by 0 gives inf as in NumPy. Only sums may be reordered, which allows vector
    instructions; nothing may assume that nan and inf do not occur.
    """
    flags = {"reassoc", "contract", "nsz"} if sums else False

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        compiled = numba.njit(cache=True, error_model="numpy", fastmath=flags, nogil=True)(function)
        _REGISTERED_LOOPS[function.__name__] = compiled
        _EXAMPLES[function.__name__] = example
        return compiled

    return decorate


def compile_all() -> dict[str, Callable[..., Any]]:
    """Compile every loop by running it on an example of each dtype; returns all loops by name."""
    for name, loop in _REGISTERED_LOOPS.items():
        for dtype in (np.float32, np.float64):
            loop(*_EXAMPLES[name](dtype))
    from autodiff_kit.kernels.activation_loops import LOOPS

    return _REGISTERED_LOOPS | LOOPS


def _matrix_example(dtype: Any) -> tuple[Any, ...]:
    return np.zeros((2, 3), dtype), np.empty((2, 3), dtype)


@_register_loop(_matrix_example, sums=True)
def softmax_rows(x: Any, out: Any) -> None:
    """The softmax of each row."""
    for i in range(x.shape[0]):
        row, to = x[i], out[i]
        top, total = row_maximum(row), x.dtype.type(0)
        for j in range(row.size):
            e = exponential(row[j] - top)
            to[j] = e
            total += e
        for j in range(row.size):
            to[j] /= total


@_register_loop(_matrix_example, sums=True)
def softmax_vjp_rows(g: Any, y: Any) -> None:
    """The VJP of softmax by rows, ``y * (g - sum(y * g))``, written over g."""
    rows, columns = y.shape
    for i in range(rows):
        total = y.dtype.type(0)
        for j in range(columns):
            total += g[i, j] * y[i, j]
        for j in range(columns):
            g[i, j] = y[i, j] * (g[i, j] - total)


def _adam_example(dtype: Any) -> tuple[Any, ...]:
    five = [np.zeros(3, dtype) for _ in range(5)]
    return (*five, np.array([0.9, 0.1, 0.999, 0.001, 0.1, 1e-8, 0.0], dtype))


@_register_loop(_adam_example)
def adam_step(w: Any, g: Any, m: Any, v: Any, delta: Any, numbers: Any) -> None:
    """One step of Adam, in NumPy's order of operations, so that both give the same bits; ``w, m, v`` in place.

    ``numbers`` are β₁, 1-β₁, β₂, 1-β₂, the corrected rate and epsilon, and rate times decay. With decay, what is
    added to w goes to ``delta``, which is empty without. Means below the normal range become 0.
    """
    b1, a1, b2, a2 = numbers[0], numbers[1], numbers[2], numbers[3]
    rate, eps, decay = numbers[4], numbers[5], numbers[6]
    tiny, zero = np.finfo(w.dtype).tiny, w.dtype.type(0)
    if delta.size == 0:
        for i in range(w.size):
            mean = b1 * m[i] + a1 * g[i]
            square = b2 * v[i] + (a2 * g[i]) * g[i]
            mean = zero if abs(mean) < tiny else mean
            square = zero if square < tiny else square
            m[i], v[i] = mean, square
            w[i] -= rate * mean / (np.sqrt(square) + eps)
        return
    for i in range(w.size):
        mean = b1 * m[i] + a1 * g[i]
        square = b2 * v[i] + (a2 * g[i]) * g[i]
        mean = zero if abs(mean) < tiny else mean
        square = zero if square < tiny else square
        m[i], v[i] = mean, square
        step = -(rate * mean / (np.sqrt(square) + eps)) - decay * w[i]
        w[i] += step
        delta[i] = step


@_register_loop(lambda dtype: (np.zeros((2, 3), dtype), np.zeros(2, np.int64), np.zeros((2, 3), dtype)))
def scatter_add_rows(out: Any, ids: Any, rows: Any) -> None:
    """``out[ids[k]] += rows[k]``, in order, repeated ids added up."""
    for k in range(ids.size):
        to, row = out[ids[k]], rows[k]  # row views are 2.5 times as fast as two indices
        for j in range(row.size):
            to[j] += row[j]


def _scaled_rows_example(dtype: Any) -> tuple[Any, ...]:
    ids = np.zeros(2, np.int64)
    return np.zeros((2, 3), dtype), ids, np.zeros(2, dtype), ids, np.zeros((2, 3), dtype)


@_register_loop(_scaled_rows_example)
def scatter_add_scaled_rows(out: Any, ids: Any, factors: Any, columns: Any, rows: Any) -> None:
    """``out[ids[k]] += factors[k] * rows[columns[k]]``, in order: a sparse matrix times a dense one."""
    for k in range(ids.size):
        to, row, factor = out[ids[k]], rows[columns[k]], factors[k]
        for j in range(row.size):
            to[j] += factor * row[j]


def _windows_example(dtype: Any) -> tuple[Any, ...]:
    return np.zeros((1, 3, 6), dtype), np.zeros((1, 2, 2, 2, 4), dtype), 1, 2, 1


@_register_loop(_windows_example)
def scatter_add_windows(out: Any, windows: Any, down: Any, along: Any, apart: Any) -> None:
    """Add image windows up at their positions (col2im); a row of a window is one contiguous run of entries.

    ``down`` and ``along`` are the strides of the windows, ``apart`` is the dilation between rows of a window.
    """
    count, rows, columns, height, length = windows.shape
    for b in range(count):
        for p in range(rows):
            for q in range(columns):
                for i in range(height):
                    to, run = out[b, p * down + i * apart, q * along : q * along + length], windows[b, p, q, i]
                    for k in range(length):
                        to[k] += run[k]


@_register_loop(_windows_example)
def gather_windows(image: Any, windows: Any, down: Any, along: Any, apart: Any) -> None:
    """Copy image windows (im2col); the parameters are those of :func:`scatter_add_windows`.

    Short runs are copied entry by entry of all windows beside each other, which takes a third of the time.
    """
    count, rows, columns, height, length = windows.shape
    for b in range(count):
        for p in range(rows):
            for i in range(height):
                line = image[b, p * down + i * apart]
                for q in range(columns if length >= 8 else 0):
                    to, run = windows[b, p, q, i], line[q * along : q * along + length]
                    for k in range(length):
                        to[k] = run[k]
                for k in range(length if length < 8 else 0):
                    entries, first = windows[b, p, :, i, k], line[k:]
                    for q in range(columns):
                        entries[q] = first[q * along]


def _pooling_example(dtype: Any) -> tuple[Any, ...]:
    entries = np.zeros((1, 2, 2, 2), dtype)
    return np.zeros((1, 3, 6), dtype), entries, entries.astype(np.int32), 2, 2, 1, 2, 1, 2


@_register_loop(_pooling_example)
def window_maxima(
    x: Any, y: Any, places: Any, height: Any, width: Any, down: Any, along: Any, apart: Any, beside: Any
) -> None:
    """The largest entry of each window of ``height * width`` pixels, nan if there is one, and its number."""
    count, rows, columns, c = y.shape
    for b in range(count):
        for p in range(rows):
            for q in range(columns):
                y[b, p, q], places[b, p, q] = x[b, p * down, q * along : q * along + c], 0
            for i in range(height):
                line = x[b, p * down + i * apart]
                for j in range(0 if i else 1, width):
                    number = np.int32(i * width + j)
                    for q in range(columns):
                        at, best, place = q * along + j * beside, y[b, p, q], places[b, p, q]
                        run = line[at : at + c]
                        for k in range(c):
                            new, old = run[k], best[k]
                            larger = (new > old) | ((new != new) & (old == old))
                            best[k] = new if larger else old
                            place[k] = number if larger else place[k]


@_register_loop(_pooling_example)
def scatter_add_places(
    out: Any, x: Any, places: Any, height: Any, width: Any, down: Any, along: Any, apart: Any, beside: Any
) -> None:
    """Add an entry for each window to the pixel of this number in the window."""
    count, rows, columns, c = x.shape
    zero = x.dtype.type(0)
    for b in range(count):
        for p in range(rows):
            for i in range(height):
                line = out[b, p * down + i * apart]
                for j in range(width):
                    number = np.int32(i * width + j)
                    for q in range(columns):
                        at, entry, place = q * along + j * beside, x[b, p, q], places[b, p, q]
                        to = line[at : at + c]
                        for k in range(c):
                            to[k] += entry[k] if place[k] == number else zero
