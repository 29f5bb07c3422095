"""Loops of eager operations: ReLU, softmax, cross-entropy, Adam, scatter-add, image windows, max pooling.

Importing this module imports numba. The loops are compiled when the module is loaded, for float32 and float64. Arrays
are C-contiguous and of one dtype; inputs may be read-only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload

from autodiff_kit.kernels import vector_math

__all__ = ["LOOPS"]

LOOPS: dict[str, Callable[..., Any]] = {}
_SUMS: Any = {"reassoc", "contract", "nsz"}
"""Only sums may be reordered, which allows vector instructions; nothing may assume that nan and inf do not occur."""


def _read(kind: Any, axes: int) -> Any:
    return types.Array(kind, axes, "C", readonly=True)


def _write(kind: Any, axes: int) -> Any:
    return types.Array(kind, axes, "C")


_IDS, _SIZE = types.Array(types.int64, 1, "A", readonly=True), types.intp  # ids may lie apart, as a broadcast one


def _loop(parameters: Callable[[Any], tuple[Any, ...]], sums: bool = False) -> Callable[..., Any]:
    """The decorator that compiles and registers a loop; ``parameters`` gives the types for a dtype.

    Results are cached on disk, and division by 0 gives inf as in NumPy.
    """
    signatures = [parameters(types.float32), parameters(types.float64)]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        options: Any = {"cache": True, "error_model": "numpy", "nogil": True, "fastmath": _SUMS if sums else False}
        LOOPS[function.__name__] = compiled = njit(signatures, **options)(function)
        return compiled

    return decorate


# ------------------------------------------------------------------------------------------------------- parts of loops
_INLINED: Any = {"forceinline": True, "error_model": "numpy"}
_MATH: dict[str, Any] = {
    name: njit(fastmath=set(vector_math.FASTMATH_FLAGS.split()), **_INLINED)(getattr(vector_math, name))
    for name in ("exp32", "exp64", "sort_key32", "sort_key64", "value_of_key32", "value_of_key64")
}


def _exponential(x: Any) -> Any:
    """The exponential of a float32 or float64, in compiled code that LLVM vectorises."""
    raise NotImplementedError


def _row_maximum(row: Any) -> Any:
    """The largest entry of a row, nan if there is one; in compiled code that LLVM vectorises."""
    raise NotImplementedError


@overload(_exponential, jit_options=_INLINED, strict=False)  # not strict: annotations differ
def _compiled_exponential(x: Any) -> Any:
    chosen = _MATH["exp32"] if x.bitwidth == 32 else _MATH["exp64"]
    return lambda x: chosen(x)  # noqa: PLW0108 - numba compiles this one


@overload(_row_maximum, jit_options=_INLINED, strict=False)
def _compiled_row_maximum(row: Any) -> Any:
    small = row.dtype.bitwidth == 32
    integer = np.int32 if small else np.int64
    to_key = _MATH["sort_key32"] if small else _MATH["sort_key64"]
    to_value = _MATH["value_of_key32"] if small else _MATH["value_of_key64"]

    def maximum(row: Any) -> Any:
        key = integer(to_key(row[0]))
        for j in range(1, row.size):
            key = max(key, integer(to_key(row[j])))
        return to_value(key)

    return maximum


@njit(error_model="numpy", fastmath=_SUMS)
def _write_exponentials(row: Any, to: Any) -> Any:
    """Write ``exp(row - max(row))``; returns the sum."""
    top, total = _row_maximum(row), row.dtype.type(0)
    for j in range(row.size):
        e = _exponential(row[j] - top)
        to[j] = e
        total += e
    return total


@njit(error_model="numpy", fastmath=_SUMS)
def _sum_of_exponentials(row: Any, top: Any) -> Any:
    """``sum(exp(row - top))``, in any order of terms."""
    total = row.dtype.type(0)
    for j in range(row.size):
        total += _exponential(row[j] - top)
    return total


# ---------------------------------------------------------------------------------------------------------------- loops
@_loop(lambda real: (_read(real, 1), _write(real, 1)))
def relu(x: Any, out: Any) -> None:
    """``max(x, 0)``; nan stays nan."""
    zero = x.dtype.type(0)
    for i in range(x.size):
        out[i] = zero if x[i] <= zero else x[i]  # noqa: FURB136 - max would lose a nan


@_loop(lambda real: (_read(real, 1), _write(types.boolean, 1)))
def relu_mask(x: Any, out: Any) -> bool:
    """Which entries are above 0; returns False if any entry is nan."""
    numbers, zero = True, x.dtype.type(0)
    for i in range(x.size):
        out[i] = x[i] > zero
        numbers &= x[i] == x[i]
    return numbers


@_loop(lambda real: (_read(real, 1), _read(types.boolean, 1), _write(real, 1)))
def relu_vjp(g: Any, above: Any, out: Any) -> None:
    """``g * mask``, so that nan and inf times 0 are nan."""
    one, zero = g.dtype.type(1), g.dtype.type(0)
    for i in range(g.size):
        out[i] = g[i] * (one if above[i] else zero)


@_loop(lambda real: (_read(real, 2), _IDS, _write(real, 1)))
def cross_entropy(x: Any, labels: Any, out: Any) -> bool:
    """``log(sum(exp(x))) - x[label]`` of each row, both minus the row's maximum; False if a label is out of range.

    The order of the sum must not change: added to a large maximum first, the logarithm would lose its digits.
    """
    for i in range(x.shape[0]):
        label = labels[i]
        if label < 0 or label >= x.shape[1]:
            return False
        top = _row_maximum(x[i])
        out[i] = np.log(_sum_of_exponentials(x[i], top)) - (x[i, label] - top)
    return True


@_loop(lambda real: (_read(real, 1), _read(real, 2), _IDS, _write(real, 2)), sums=True)
def cross_entropy_vjp(g: Any, x: Any, labels: Any, out: Any) -> None:
    """The softmax of each row minus the one-hot label, times ``g``."""
    for i in range(x.shape[0]):
        to = out[i]
        total = _write_exponentials(x[i], to)
        own = to[labels[i]] / total - x.dtype.type(1)
        for j in range(to.size):
            to[j] = g[i] * (to[j] / total)
        to[labels[i]] = g[i] * own


@_loop(lambda real: (_read(real, 2), _write(real, 2)), sums=True)
def softmax_rows(x: Any, out: Any) -> None:
    """The softmax of each row."""
    for i in range(x.shape[0]):
        to = out[i]
        total = _write_exponentials(x[i], to)
        for j in range(to.size):
            to[j] /= total


@_loop(lambda real: (_write(real, 2), _read(real, 2)), sums=True)
def softmax_vjp_rows(g: Any, y: Any) -> None:
    """The VJP of softmax by rows, ``y * (g - sum(y * g))``, written over g."""
    rows, columns = y.shape
    for i in range(rows):
        total = y.dtype.type(0)
        for j in range(columns):
            total += g[i, j] * y[i, j]
        for j in range(columns):
            g[i, j] = y[i, j] * (g[i, j] - total)


@_loop(lambda real: (_write(real, 1), _read(real, 1), *[_write(real, 1)] * 3, _read(real, 1)))
def adam_step(w: Any, g: Any, m: Any, v: Any, delta: Any, numbers: Any) -> None:
    """One step of Adam, in NumPy's order of operations, so that both give the same bits; ``w, m, v`` in place.

    ``numbers`` are β₁, 1-β₁, β₂, 1-β₂, the corrected rate and epsilon, and rate times decay. With decay, what is
    added to w goes to ``delta``, which is empty without. Means below the normal range become 0.
    """
    b1, a1, b2, a2 = numbers[0], numbers[1], numbers[2], numbers[3]
    rate, eps, decay = numbers[4], numbers[5], numbers[6]
    tiny, zero, decays = np.finfo(w.dtype).tiny, w.dtype.type(0), delta.size > 0
    for i in range(w.size):
        mean = b1 * m[i] + a1 * g[i]
        square = b2 * v[i] + (a2 * g[i]) * g[i]
        mean = zero if abs(mean) < tiny else mean
        square = zero if square < tiny else square
        m[i], v[i] = mean, square
        step = -(rate * mean / (np.sqrt(square) + eps))
        if decays:
            step -= decay * w[i]
            delta[i] = step
        w[i] += step


@_loop(lambda real: (_write(real, 2), _IDS, _read(real, 2)))
def scatter_add_rows(out: Any, ids: Any, rows: Any) -> None:
    """``out[ids[k]] += rows[k]``, in order, repeated ids added up."""
    for k in range(ids.size):
        to, row = out[ids[k]], rows[k]  # row views are 2.5 times as fast as two indices
        for j in range(row.size):
            to[j] += row[j]


@_loop(lambda real: (_write(real, 2), _IDS, _read(real, 1), _IDS, _read(real, 2)))
def scatter_add_scaled_rows(out: Any, ids: Any, factors: Any, columns: Any, rows: Any) -> None:
    """``out[ids[k]] += factors[k] * rows[columns[k]]``, in order: a sparse matrix times a dense one."""
    for k in range(ids.size):
        to, row, factor = out[ids[k]], rows[columns[k]], factors[k]
        for j in range(row.size):
            to[j] += factor * row[j]


@_loop(lambda real: (_write(real, 3), _read(real, 5), _SIZE, _SIZE, _SIZE))
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


@_loop(lambda real: (_read(real, 3), _write(real, 5), _SIZE, _SIZE, _SIZE))
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


@_loop(lambda real: (_read(real, 3), _write(real, 4), _write(types.int32, 4), *[_SIZE] * 6))
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


@_loop(lambda real: (_write(real, 3), _read(real, 4), _read(types.int32, 4), *[_SIZE] * 6))
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
