"""Loops of eager operations: activations, softmax, reductions, normalization, cross-entropy, Adam, scatter-add.

Importing this module imports numba. The loops are compiled when the module is loaded, for float32 and float64. Arrays
are C-contiguous and of one dtype; inputs may be read-only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic, overload

from autodiff_kit.kernels import shutdown, vector_math, window_loops

__all__ = ["LOOPS"]

LOOPS: dict[str, Callable[..., Any]] = window_loops.eager_loops()
_SUMS: Any = {"reassoc", "contract", "nsz"}
"""Only sums may be reordered, which allows vector instructions; nothing may assume that nan and inf do not occur."""


def _read(kind: Any, axes: int) -> Any:
    return types.Array(kind, axes, "C", readonly=True)


def _write(kind: Any, axes: int) -> Any:
    return types.Array(kind, axes, "C")


_IDS = types.Array(types.int64, 1, "A", readonly=True)  # they may lie apart, as a broadcast one


def _loop(parameters: Callable[[Any], tuple[Any, ...]], sums: bool = False) -> Callable[..., Any]:
    """The decorator that compiles and registers a loop; ``parameters`` gives the types for a dtype.

    Results are cached on disk, and division by 0 gives inf as in NumPy.
    """
    signatures = [parameters(types.float32), parameters(types.float64)]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        shutdown.check_running()
        options: Any = {"cache": True, "error_model": "numpy", "nogil": True, "fastmath": _SUMS if sums else False}
        LOOPS[function.__name__] = compiled = njit(signatures, **options)(function)
        return compiled

    return decorate


# ------------------------------------------------------------------------------------------------------- parts of loops
_INLINED: Any = {"forceinline": True, "error_model": "numpy"}
_MATH: dict[str, Any] = {
    name: njit(fastmath=set(vector_math.FASTMATH_FLAGS.split()), **_INLINED)(getattr(vector_math, name))
    for base in ("exp", "sincos", "sort_key", "value_of_key")
    for name in (f"{base}32", f"{base}64")
}


def _wide_vectors(_: Any) -> Any:
    """Have LLVM use vectors of :data:`vector_math.VECTOR_BITS` in the loop that calls this.

    numba has no option for it, and llvmlite's own ``add`` takes no attribute with a value, so it goes into the set.
    """

    def mark(context: Any, builder: Any, *_: Any) -> Any:
        set.add(builder.function.attributes, f'"prefer-vector-width"="{vector_math.VECTOR_BITS}"')
        return context.get_dummy_value()

    return types.void(), mark


_use_wide_vectors: Any = intrinsic(_wide_vectors)


def _exponential(x: Any) -> Any:
    """The exponential of a float32 or float64, in compiled code that LLVM vectorises."""
    raise NotImplementedError


def _sine_and_cosine(x: Any) -> Any:
    """The sine and cosine of a float32 or float64 up to :data:`vector_math.MAX_ANGLE32`, as :func:`_exponential`."""
    raise NotImplementedError


def _row_maximum(row: Any) -> Any:
    """The largest entry of a row, nan if there is one; in compiled code that LLVM vectorises."""
    raise NotImplementedError


@overload(_exponential, jit_options=_INLINED, strict=False)  # not strict: annotations differ
def _compiled_exponential(x: Any) -> Any:
    chosen = _MATH[f"exp{x.bitwidth}"]
    return lambda x: chosen(x)  # noqa: PLW0108 - numba compiles this one


@overload(_sine_and_cosine, jit_options=_INLINED, strict=False)
def _compiled_sine_and_cosine(x: Any) -> Any:
    chosen = _MATH[f"sincos{x.bitwidth}"]
    return lambda x: chosen(x)  # noqa: PLW0108


@overload(_row_maximum, jit_options=_INLINED, strict=False)
def _compiled_row_maximum(row: Any) -> Any:
    bits = row.dtype.bitwidth
    integer = np.int32 if bits == 32 else np.int64
    to_key, to_value = _MATH[f"sort_key{bits}"], _MATH[f"value_of_key{bits}"]

    lowest = integer(np.iinfo(integer).min)

    def maximum(row: Any) -> Any:
        key = lowest
        for j in range(row.size):  # from 0 on: rows of 32 fill whole vectors then
            key = max(key, integer(to_key(row[j])))
        return to_value(key)

    return maximum


def _inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The decorator for parts of loops over rows: on short rows, a call takes as long as the row.

    Each part has one loop, or two: LLVM vectorises these better than several in one function.
    """
    compiled: Callable[..., Any] = njit(fastmath=_SUMS, **_INLINED)(function)
    return compiled


@_inlined
def _write_exponentials(row: Any, to: Any) -> Any:
    """Write ``exp(row - max(row))``; returns the sum."""
    top, total = _row_maximum(row), row.dtype.type(0)
    for j in range(row.size):
        e = _exponential(row[j] - top)
        to[j] = e
        total += e
    return total


@_inlined
def _divide(row: Any, by: Any) -> None:
    for j in range(row.size):
        row[j] /= by


@_inlined
def _sum_of_exponentials(row: Any, top: Any) -> Any:
    """``sum(exp(row - top))``, in any order of terms."""
    total = row.dtype.type(0)
    for j in range(row.size):
        total += _exponential(row[j] - top)
    return total


@_inlined
def _dot(row: Any, other: Any) -> Any:
    total = row.dtype.type(0)
    for j in range(row.size):
        total += row[j] * other[j]
    return total


@_inlined
def _mean_and_rate(row: Any, epsilon: Any) -> Any:
    """The mean of a row, and one over the root of its variance plus epsilon."""
    one, total = row.dtype.type(1), row.dtype.type(0)
    count, square = row.dtype.type(row.size), total
    for j in range(row.size):
        total += row[j]
    mean = total / count
    for j in range(row.size):
        square += (row[j] - mean) * (row[j] - mean)
    return mean, one / np.sqrt(square / count + epsilon)


@_inlined
def _shift_and_scale(row: Any, mean: Any, rate: Any, to: Any) -> None:
    for j in range(row.size):
        to[j] = (row[j] - mean) * rate


@_inlined
def _sum_and_dot(row: Any, other: Any) -> Any:
    s, t = row.dtype.type(0), row.dtype.type(0)
    for j in range(row.size):
        s += row[j]
        t += row[j] * other[j]
    return s, t


@_inlined
def _write_standardize_vjp(g: Any, y: Any, s: Any, t: Any, rate: Any, to: Any) -> None:
    for j in range(g.size):
        to[j] = (g[j] - s - y[j] * t) * rate


@njit(error_model="numpy")
def _means_and_rates(x: Any, epsilon: Any, mean: Any, rate: Any) -> None:
    """The means of the columns, and one over the roots of their variances plus epsilon."""
    one, count = x.dtype.type(1), x.dtype.type(x.shape[0])
    mean[:], rate[:] = 0, 0
    for i in range(x.shape[0]):
        row = x[i]
        for k in range(row.size):
            mean[k] += row[k]
    for k in range(mean.size):
        mean[k] /= count
    for i in range(x.shape[0]):
        row = x[i]
        for k in range(row.size):
            rate[k] += (row[k] - mean[k]) * (row[k] - mean[k])
    for k in range(rate.size):
        rate[k] = one / np.sqrt(rate[k] / count + epsilon)


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


@_loop(lambda real: (_read(real, 1), _write(real, 1)))
def sigmoid(x: Any, out: Any) -> None:
    """``1 / (1 + exp(-x))``, accurate in both tails."""
    _use_wide_vectors()
    one, zero = x.dtype.type(1), x.dtype.type(0)
    for i in range(x.size):
        e = _exponential(-abs(x[i]))
        out[i] = (one if x[i] >= zero else e) / (one + e)


@_loop(lambda real: (_read(real, 1), _read(real, 1), _write(real, 1)))
def sigmoid_vjp(g: Any, x: Any, out: Any) -> None:
    """``g * sigmoid(x) * sigmoid(-x)``."""
    _use_wide_vectors()
    one = x.dtype.type(1)
    for i in range(x.size):
        e = _exponential(-abs(x[i]))
        out[i] = g[i] * (e / ((one + e) * (one + e)))


@_loop(lambda real: (_read(real, 1), _write(real, 1)))
def sin(x: Any, out: Any) -> bool:
    """The sine; returns False, and ``out`` is of no use, if an angle is too large."""
    _use_wide_vectors()
    small = True
    for i in range(x.size):
        small &= not (abs(x[i]) > vector_math.MAX_ANGLE32)
        sine = _sine_and_cosine(x[i])[0]
        out[i] = x[i] if x[i] == 0 else sine  # the sign of 0 stays
    return small


@_loop(lambda real: (_read(real, 1), _write(real, 1)))
def cos(x: Any, out: Any) -> bool:
    """The cosine, as :func:`sin`."""
    _use_wide_vectors()
    small = True
    for i in range(x.size):
        small &= not (abs(x[i]) > vector_math.MAX_ANGLE32)
        out[i] = _sine_and_cosine(x[i])[1]
    return small


@_loop(lambda real: (_read(real, 1), _write(real, 1)))
def gelu(x: Any, out: Any) -> None:
    """``x * sigmoid(angle)``; the angle is a polynomial of x."""
    _use_wide_vectors()
    one, zero = x.dtype.type(1), x.dtype.type(0)
    linear, cubic = x.dtype.type(vector_math.GELU_LINEAR), x.dtype.type(vector_math.GELU_CUBIC)
    for i in range(x.size):
        angle = x[i] * (x[i] * x[i] * cubic + linear)
        e = _exponential(-abs(angle))
        out[i] = x[i] * ((one if angle >= zero else e) / (one + e))


@_loop(lambda real: (_read(real, 1), _read(real, 1), _write(real, 1)))
def gelu_vjp(g: Any, x: Any, out: Any) -> None:
    """``g`` times the derivative of :func:`gelu`."""
    _use_wide_vectors()
    one, zero, three = x.dtype.type(1), x.dtype.type(0), x.dtype.type(3)
    linear, cubic = x.dtype.type(vector_math.GELU_LINEAR), x.dtype.type(vector_math.GELU_CUBIC)
    far = x.dtype.type(vector_math.GELU_FAR)
    for i in range(x.size):
        z = min(max(x[i], -far), far)
        square = z * z
        angle = z * (square * cubic + linear)
        e = _exponential(-abs(angle))
        s, slope = (one if angle >= zero else e) / (one + e), e / ((one + e) * (one + e))
        out[i] = g[i] * (s + z * slope * (three * cubic * square + linear))


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
def cross_entropy_vjp(g: Any, x: Any, labels: Any, out: Any) -> bool:
    """The softmax of each row minus the one-hot label, times ``g``; False if a label is out of range."""
    for i in range(x.shape[0]):
        to = out[i]
        if labels[i] < 0 or labels[i] >= to.size:
            return False
        total = _write_exponentials(x[i], to)
        own = to[labels[i]] / total - x.dtype.type(1)
        for j in range(to.size):
            to[j] = g[i] * (to[j] / total)
        to[labels[i]] = g[i] * own
    return True


@_loop(lambda real: (_read(real, 2), _write(real, 2)), sums=True)
def softmax_rows(x: Any, out: Any) -> None:
    """The softmax of each row."""
    for i in range(x.shape[0]):
        _divide(out[i], _write_exponentials(x[i], out[i]))


@_loop(lambda real: (_write(real, 2), _read(real, 2)), sums=True)
def softmax_vjp_rows(g: Any, y: Any) -> None:
    """The VJP of softmax by rows, ``y * (g - sum(y * g))``, written over g."""
    for i in range(y.shape[0]):
        to, row = g[i], y[i]
        total = _dot(to, row)
        for j in range(row.size):
            to[j] = row[j] * (to[j] - total)


@_loop(lambda real: (_read(real, 2), _read(types.boolean, 2), _write(real, 2)), sums=True)
def masked_softmax_rows(x: Any, mask: Any, out: Any) -> None:
    """The softmax of each row over the entries that the mask keeps; the rows of the mask come again in turn."""
    zero, lowest = x.dtype.type(0), x.dtype.type(-np.inf)
    for i in range(x.shape[0]):
        row, keep, to = x[i], mask[i % mask.shape[0]], out[i]
        for j in range(to.size):
            to[j] = row[j] if keep[j] else lowest
        top, total = _row_maximum(to), zero
        if top == lowest and not keep.any():
            to[:] = zero
            continue
        for j in range(to.size):
            e = _exponential(to[j] - top)
            to[j] = e
            total += e
        if total > zero:
            _divide(to, total)
        else:  # the exponentials are nan, of masked entries too
            for j in range(to.size):
                to[j] = to[j] / total if keep[j] else zero


@_loop(lambda real: (_read(real, 2), _read(real, 2), _read(types.boolean, 2), _write(real, 2)), sums=True)
def masked_softmax_vjp_rows(g: Any, y: Any, mask: Any, out: Any) -> None:
    """``y * (g - sum(y * g))`` of each row over the entries that the mask keeps, and 0 at the others."""
    zero = y.dtype.type(0)
    for i in range(y.shape[0]):
        keep, to, total = mask[i % mask.shape[0]], out[i], zero
        for j in range(to.size):
            total += g[i, j] * y[i, j] if keep[j] else zero
        for j in range(to.size):
            to[j] = y[i, j] * (g[i, j] - total) if keep[j] else zero


@_loop(lambda real: (_read(real, 2), real, _write(real, 2)), sums=True)
def standardize_rows(x: Any, epsilon: Any, out: Any) -> None:
    """Each row minus its mean, divided by the root of its variance plus epsilon."""
    for i in range(x.shape[0]):
        mean, rate = _mean_and_rate(x[i], epsilon)
        _shift_and_scale(x[i], mean, rate, out[i])


@_loop(lambda real: (_read(real, 2), _read(real, 2), _read(real, 2), real, _write(real, 2)), sums=True)
def standardize_vjp_rows(g: Any, y: Any, x: Any, epsilon: Any, out: Any) -> None:
    """``(g - mean(g) - y * mean(g * y)) * rate`` of each row."""
    for i in range(x.shape[0]):
        count = x.dtype.type(x.shape[1])
        rate = _mean_and_rate(x[i], epsilon)[1]
        s, t = _sum_and_dot(g[i], y[i])
        _write_standardize_vjp(g[i], y[i], s / count, t / count, rate, out[i])


@_loop(lambda real: (_read(real, 2), _read(real, 1), _read(real, 1), real, _write(real, 2)), sums=True)
def layer_norm_rows(x: Any, scale: Any, offset: Any, epsilon: Any, out: Any) -> None:
    """As :func:`standardize_rows`, times ``scale`` and plus ``offset``."""
    for i in range(x.shape[0]):
        mean, rate = _mean_and_rate(x[i], epsilon)
        row, to = x[i], out[i]
        for j in range(row.size):
            to[j] = (row[j] - mean) * rate * scale[j] + offset[j]


@_loop(
    lambda real: (_read(real, 2), _read(real, 2), _read(real, 1), real, _write(real, 2), _write(real, 1),
                  _write(real, 1)), sums=True
)  # fmt: skip
def layer_norm_vjp_rows(g: Any, x: Any, scale: Any, epsilon: Any, out: Any, to_scale: Any, to_offset: Any) -> None:
    """The cotangents of all inputs of :func:`layer_norm_rows`; those of scale and offset are added to what is there."""
    count, zero = x.dtype.type(x.shape[1]), x.dtype.type(0)
    for i in range(x.shape[0]):
        mean, rate = _mean_and_rate(x[i], epsilon)
        row, own, to, s, t = x[i], g[i], out[i], zero, zero
        for j in range(row.size):
            y, part = (row[j] - mean) * rate, own[j] * scale[j]
            s += part
            t += part * y
        s, t = s / count, t / count
        for j in range(row.size):
            y = (row[j] - mean) * rate
            to[j] = (own[j] * scale[j] - s - y * t) * rate
            to_scale[j] += own[j] * y
            to_offset[j] += own[j]


@_loop(lambda real: (_read(real, 3), real, _write(real, 3)))
def standardize_columns(x: Any, epsilon: Any, out: Any) -> None:
    """As :func:`standardize_rows`, over the middle axis."""
    mean, rate = np.empty(x.shape[2], x.dtype), np.empty(x.shape[2], x.dtype)
    for b in range(x.shape[0]):
        _means_and_rates(x[b], epsilon, mean, rate)
        for i in range(x.shape[1]):
            row, to = x[b, i], out[b, i]
            for k in range(row.size):
                to[k] = (row[k] - mean[k]) * rate[k]


@_loop(lambda real: (_read(real, 3), _read(real, 3), _read(real, 3), real, _write(real, 3)))
def standardize_vjp_columns(g: Any, y: Any, x: Any, epsilon: Any, out: Any) -> None:
    """As :func:`standardize_vjp_rows`, over the middle axis."""
    count = x.dtype.type(x.shape[1])
    s, t, rate = np.empty(x.shape[2], x.dtype), np.empty(x.shape[2], x.dtype), np.empty(x.shape[2], x.dtype)
    for b in range(x.shape[0]):
        _means_and_rates(x[b], epsilon, s, rate)
        s[:], t[:] = 0, 0
        for i in range(x.shape[1]):
            one, other = g[b, i], y[b, i]
            for k in range(one.size):
                s[k] += one[k]
                t[k] += one[k] * other[k]
        s /= count
        t /= count
        for i in range(x.shape[1]):
            one, other, to = g[b, i], y[b, i], out[b, i]
            for k in range(one.size):
                to[k] = (one[k] - s[k] - other[k] * t[k]) * rate[k]


@_loop(lambda real: (_read(real, 2), _write(real, 1)))
def logsumexp_rows(x: Any, out: Any) -> None:
    """``log(sum(exp(x)))`` of each row."""
    zero = x.dtype.type(0)
    for i in range(x.shape[0]):
        top = _row_maximum(x[i])
        shift = top if abs(top) < np.inf else zero
        out[i] = np.log(_sum_of_exponentials(x[i], shift)) + shift


@_loop(lambda real: (_read(real, 3), _write(real, 2)))
def logsumexp_columns(x: Any, out: Any) -> None:
    """As :func:`logsumexp_rows`, over the middle axis."""
    _use_wide_vectors()
    zero, shift = x.dtype.type(0), np.empty(x.shape[2], x.dtype)
    for b in range(x.shape[0]):
        total = out[b]
        shift[:], total[:] = x[b, 0], 0
        for i in range(1, x.shape[1]):
            row = x[b, i]
            for k in range(row.size):
                shift[k] = row[k] if (row[k] > shift[k]) | (row[k] != row[k]) else shift[k]
        for k in range(shift.size):
            shift[k] = shift[k] if abs(shift[k]) < np.inf else zero
        for i in range(x.shape[1]):
            row = x[b, i]
            for k in range(row.size):
                total[k] += _exponential(row[k] - shift[k])
        for k in range(shift.size):
            total[k] = np.log(total[k]) + shift[k]


@_loop(lambda real: (_read(real, 2), _read(real, 1), _read(real, 1), _write(real, 2)), sums=True)
def logsumexp_vjp_rows(x: Any, g: Any, y: Any, out: Any) -> None:
    """``g * exp(x - y)`` of each row, divided by the sum of the exponentials, which a rounded y moves away from 1;
    0 where y is minus infinity.
    """
    _use_wide_vectors()
    zero, lowest = x.dtype.type(0), x.dtype.type(-np.inf)
    for i in range(x.shape[0]):
        row, to, total = x[i], out[i], zero
        if y[i] == lowest:
            to[:] = g[i] * zero
            continue
        for j in range(row.size):
            e = _exponential(row[j] - y[i])
            to[j] = e
            total += e
        factor = g[i] / total if abs(y[i]) < np.inf else g[i]
        for j in range(row.size):
            to[j] *= factor


@_loop(lambda real: (_read(real, 3), _read(real, 2), _read(real, 2), _write(real, 3)))
def logsumexp_vjp_columns(x: Any, g: Any, y: Any, out: Any) -> None:
    """As :func:`logsumexp_vjp_rows`, over the middle axis."""
    _use_wide_vectors()
    one, zero, lowest = x.dtype.type(1), x.dtype.type(0), x.dtype.type(-np.inf)
    factor = np.empty(x.shape[2], x.dtype)  # the sums, then the cotangents divided by them
    for b in range(x.shape[0]):
        given, below = g[b], y[b]
        factor[:] = 0
        for i in range(x.shape[1]):
            row, to = x[b, i], out[b, i]
            for k in range(row.size):
                e = _exponential(row[k] - below[k])
                to[k] = e if below[k] != lowest else zero
                factor[k] += to[k]
        for k in range(factor.size):
            factor[k] = given[k] / (factor[k] if abs(below[k]) < np.inf else one)
        for i in range(x.shape[1]):
            to = out[b, i]
            for k in range(factor.size):
                to[k] *= factor[k]


@_loop(lambda real: (_read(real, 2), _read(real, 1), _read(real, 1), _write(real, 2)))
def extreme_vjp_rows(x: Any, g: Any, y: Any, out: Any) -> None:
    """``g`` at the entries that equal the row's extreme ``y``, shared evenly among them; nan equals nan."""
    one, zero = x.dtype.type(1), x.dtype.type(0)
    for i in range(x.shape[0]):
        row, to, hits = x[i], out[i], 0
        for j in range(row.size):
            hits += (row[j] == y[i]) | ((row[j] != row[j]) & (y[i] != y[i]))
        share = one / x.dtype.type(hits)
        for j in range(row.size):
            hit = (row[j] == y[i]) | ((row[j] != row[j]) & (y[i] != y[i]))
            to[j] = g[i] * (share if hit else zero)


@_loop(lambda real: (_read(real, 3), _read(real, 2), _read(real, 2), _write(real, 3)))
def extreme_vjp_columns(x: Any, g: Any, y: Any, out: Any) -> None:
    """As :func:`extreme_vjp_rows`, over the middle axis."""
    one, zero, share = x.dtype.type(1), x.dtype.type(0), np.empty(x.shape[2], x.dtype)
    for b in range(x.shape[0]):
        given, top = g[b], y[b]
        share[:] = 0
        for i in range(x.shape[1]):
            row = x[b, i]
            for k in range(row.size):
                share[k] += one if (row[k] == top[k]) | ((row[k] != row[k]) & (top[k] != top[k])) else zero
        for k in range(share.size):
            share[k] = one / share[k]
        for i in range(x.shape[1]):
            row, to = x[b, i], out[b, i]
            for k in range(row.size):
                hit = (row[k] == top[k]) | ((row[k] != row[k]) & (top[k] != top[k]))
                to[k] = given[k] * (share[k] if hit else zero)


@_loop(lambda real: (_write(real, 1), _read(real, 1), real))
def add_multiple(w: Any, g: Any, factor: Any) -> None:
    """``w += factor * g``, rounded twice as by NumPy."""
    for i in range(w.size):
        w[i] += factor * g[i]


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
def scatter_add_rows(out: Any, ids: Any, rows: Any) -> bool:
    """``out[ids[k]] += rows[k]``, in order, repeated ids added up; False at an id that is out of range."""
    count = out.shape[0]
    for k in range(ids.size):
        if ids[k] < -count or ids[k] >= count:
            return False
        to, row = out[ids[k]], rows[k]  # row views are 2.5 times as fast as two indices
        for j in range(row.size):
            to[j] += row[j]
    return True


@_loop(lambda real: (_write(real, 2), _IDS, _read(real, 1), _IDS, _read(real, 2)))
def scatter_add_scaled_rows(out: Any, ids: Any, factors: Any, columns: Any, rows: Any) -> bool:
    """``out[ids[k]] += factors[k] * rows[columns[k]]``, in order: a sparse matrix times a dense one.

    False at a row or column that is out of range.
    """
    count, length = out.shape[0], rows.shape[0]
    for k in range(ids.size):
        if ids[k] < -count or ids[k] >= count or columns[k] < -length or columns[k] >= length:
            return False
        to, row, factor = out[ids[k]], rows[columns[k]], factors[k]
        for j in range(row.size):
            to[j] += factor * row[j]
    return True
