"""Branch-free exponential, logarithm, sine, cosine and tanh, which LLVM can vectorise.

Polynomials after argument reduction; errors stay within two units in the last place. ``sincos`` uses a three-step
reduction that is accurate up to ``MAX_ANGLE``; callers reduce larger angles first. Public names end in the number of
bits. :mod:`autodiff_kit.kernels.llvm_compiler` compiles them as parts of kernels, and numba as parts of
loops.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    "GELU_CUBIC", "GELU_FAR", "GELU_LINEAR", "LOWEST_KEY32", "LOWEST_KEY64", "MAX_ANGLE64",
    "exp32", "exp64", "has_large_angle32", "has_large_angle64", "log1p32", "log1p64", "log32",
    "log64", "logaddexp32", "logaddexp64", "reduce_angles", "sincos32", "sincos64",
    "sort_key32", "sort_key64", "tanh32", "tanh64", "value_of_key32", "value_of_key64",
]  # fmt: skip

f = np.float32
MAX_ANGLE32, MAX_ANGLE64 = f(8192.0), 1e5
SMALLEST_NORMAL32, SMALLEST_NORMAL64 = f(np.finfo(np.float32).tiny), float(np.finfo(np.float64).tiny)
LOWEST_KEY32, LOWEST_KEY64 = np.int32(-(2**31)), np.int64(-(2**63))
# Adding one of these rounds to an integer, which the low bits then hold.
ROUNDING32, ROUNDING64 = f(12582912.0), 6755399441055744.0

GELU_LINEAR = 2 * math.sqrt(2 / math.pi)
GELU_CUBIC = 0.044715 * GELU_LINEAR
"""``x * (GELU_LINEAR + GELU_CUBIC * x²)`` is the angle whose sigmoid weighs the input of GELU."""
GELU_FAR = 30.0
"""From here on the derivative of GELU is 1, or 0, in every dtype. Squares of far larger numbers overflow."""

FASTMATH_FLAGS = "contract nsz"
"""What LLVM may do with these operations: fused multiply-add, and any sign of zero."""

VECTOR_BITS = 512
"""The width of vectors that loops with calls of these functions ask for, where the processor has it. LLVM by itself
takes half of AVX-512, which is better where a loop waits for memory; these wait for arithmetic."""


def exp32(x: Any) -> Any:
    """The exponential with 2ᵏ in two factors, since k may be below all exponents: 0 far below, inf far above."""
    u = max(x, f(-104.0))
    u = min(u, f(89.0))
    t = u * f(1.44269504) + ROUNDING32
    k = np.float32(t).view(np.int32) - np.int32(0x4B400000)
    n = t - ROUNDING32
    r = u - n * f(0.693359375)
    r = r - n * f(-2.12194440e-4)
    y = f(1.9875691500e-4)
    y = y * r + f(1.3981999507e-3)
    y = y * r + f(8.3334519073e-3)
    y = y * r + f(4.1665795894e-2)
    y = y * r + f(1.6666665459e-1)
    y = y * r + f(5.0000001201e-1)
    y = y * r * r + r + f(1.0)
    k = k if x > f(-104.0) else np.int32(-254)  # both factors are 0 then: a product that underflows takes longer
    half = np.int32(k >> np.int32(1))
    y = y * np.int32((half + np.int32(127)) << np.int32(23)).view(np.float32)
    return y * np.int32((k - half + np.int32(127)) << np.int32(23)).view(np.float32)


def exp64(x: Any) -> Any:
    """As :func:`exp32` for float64."""
    u = max(x, -745.2)
    u = min(u, 710.0)
    t = u * 1.4426950408889634 + ROUNDING64
    k = np.float64(t).view(np.int64) - np.int64(0x4338000000000000)
    n = t - ROUNDING64
    r = u - n * 6.93147180369123816490e-01
    r = r - n * 1.90821492927058770002e-10
    y = 1 / 6227020800.0
    y = y * r + 1 / 479001600.0
    y = y * r + 1 / 39916800.0
    y = y * r + 1 / 3628800.0
    y = y * r + 1 / 362880.0
    y = y * r + 1 / 40320.0
    y = y * r + 1 / 5040.0
    y = y * r + 1 / 720.0
    y = y * r + 1 / 120.0
    y = y * r + 1 / 24.0
    y = y * r + 1 / 6.0
    y = y * r + 0.5
    y = y * r * r + r + 1.0
    k = k if x > -745.2 else np.int64(-2046)
    half = k >> 1
    y = y * np.int64((half + 1023) << 52).view(np.float64)
    return y * np.int64((k - half + 1023) << 52).view(np.float64)


def log32(x: Any) -> Any:
    """The logarithm of 2ᵏ m for m near 1: a series in s = (m - 1) / (m + 1)."""
    small = x < SMALLEST_NORMAL32
    u = x * f(8388608.0) if small else x
    i = np.float32(u).view(np.int32)
    k = np.int32(np.int32(i - np.int32(0x3F3504F3)) >> np.int32(23))
    g = np.int32(i - (k << np.int32(23))).view(np.float32) - f(1.0)
    n = np.float32(k) - (f(23.0) if small else f(0.0))
    s = g / (f(2.0) + g)
    z = s * s
    r = (((f(0.24279078841) * z + f(0.28498786688)) * z + f(0.40000972152)) * z + f(0.66666662693)) * z
    h = f(0.5) * g * g
    y = s * (h + r) + n * f(9.0580006145e-6) - h + g + n * f(6.9313812256e-1)
    below = y if x < f(np.inf) else x
    return f(-np.inf) if x == f(0.0) else below if x >= f(0.0) else f(np.nan)


def log64(x: Any) -> Any:
    """As :func:`log32` for float64."""
    small = x < SMALLEST_NORMAL64
    u = x * 18014398509481984.0 if small else x
    i = np.float64(u).view(np.int64)
    k = (i - 0x3FE6A09E667F3BCD) >> 52
    g = np.int64(i - (k << 52)).view(np.float64) - 1.0
    n = np.float64(k) - (54.0 if small else 0.0)
    s = g / (2.0 + g)
    z = s * s
    r = (1.479819860511658591e-1 * z + 1.531383769920937332e-1) * z + 1.818357216161805012e-1
    r = ((r * z + 2.222219843214978396e-1) * z + 2.857142874366239149e-1) * z + 3.999999999940941908e-1
    r = (r * z + 6.666666666666735130e-1) * z
    h = 0.5 * g * g
    y = s * (h + r) + n * 1.90821492927058770002e-10 - h + g + n * 6.93147180369123816490e-01
    below = y if x < np.inf else x
    return -np.inf if x == 0.0 else below if x >= 0.0 else np.nan


def log1p32(x: Any) -> Any:
    """log(1 + x), with a correction for the rounding of the sum."""
    w = f(1.0) + x
    y = log32(w)
    c = (x - (w - f(1.0))) / w
    return y + c if abs(y) < f(np.inf) else y


def log1p64(x: Any) -> Any:
    """As :func:`log1p32` for float64."""
    w = 1.0 + x
    y = log64(w)
    c = (x - (w - 1.0)) / w
    return y + c if abs(y) < np.inf else y


def logaddexp32(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y))."""
    more = log1p32(exp32(-abs(x - y)))
    return max(x, y) + (f(0.6931471805599453) if x == y else more)


def logaddexp64(x: Any, y: Any) -> Any:
    """As :func:`logaddexp32` for float64."""
    more = log1p64(exp64(-abs(x - y)))
    return max(x, y) + (0.6931471805599453 if x == y else more)


def sincos32(x: Any) -> Any:
    """Sine and cosine, for angles of size up to :data:`MAX_ANGLE32`."""
    t = x * f(0.636619772) + ROUNDING32
    k = np.float32(t).view(np.int32)
    n = t - ROUNDING32
    r = x - n * f(1.5703125)
    r = r - n * f(4.837512969970703125e-4)
    r = r - n * f(7.54978995489188e-8)
    r = r - n * f(-1.71512449944e-15)
    z = r * r
    s = ((f(-1.9515295891e-4) * z + f(8.3321608736e-3)) * z + f(-1.6666654611e-1)) * z * r + r
    c = f(2.443315711809948e-5) * z + f(-1.388731625493765e-3)
    c = (c * z + f(4.166664568298827e-2)) * z * z - f(0.5) * z + f(1.0)
    odd = (k & np.int32(1)) != 0
    a = c if odd else s
    b = s if odd else c
    a = np.int32(np.float32(a).view(np.int32) ^ (k & np.int32(2)) << np.int32(30)).view(np.float32)
    b = np.int32(np.float32(b).view(np.int32) ^ ((k + np.int32(1)) & np.int32(2)) << np.int32(30)).view(np.float32)
    return a, b


def sincos64(x: Any) -> Any:
    """Sine and cosine, for angles of size up to :data:`MAX_ANGLE64`."""
    t = x * 0.63661977236758134308 + ROUNDING64
    k = np.float64(t).view(np.int64)
    n = t - ROUNDING64
    r = x - n * 1.57079632673412561417e00
    r = r - n * 6.07710050630396597660e-11
    r = r - n * 2.02226624879595063154e-21
    z = r * r
    s = 1.58962301576546568060e-10 * z - 2.50507477628578072866e-8
    s = ((s * z + 2.75573136213857245213e-6) * z - 1.98412698295895385996e-4) * z + 8.33333333332211858878e-3
    s = (s * z - 1.66666666666666307295e-1) * z * r + r
    c = -1.13585365213876817300e-11 * z + 2.08757008419747316778e-9
    c = ((c * z - 2.75573141792967388112e-7) * z + 2.48015872888517045348e-5) * z - 1.38888888888730564116e-3
    c = (c * z + 4.16666666666665929218e-2) * z * z - 0.5 * z + 1.0
    odd = (k & 1) != 0
    a = c if odd else s
    b = s if odd else c
    a = np.int64(np.float64(a).view(np.int64) ^ ((k & 2) << 62)).view(np.float64)
    return a, np.int64(np.float64(b).view(np.int64) ^ (((k + 1) & 2) << 62)).view(np.float64)


def tanh32(x: Any) -> Any:
    """tanh: a polynomial near 0, otherwise from the exponential."""
    z = x * x
    p = ((f(-5.70498872745e-3) * z + f(2.06390887954e-2)) * z - f(5.37397155531e-2)) * z + f(1.33314422036e-1)
    p = (p * z - f(3.33332819422e-1)) * z * x + x
    q = f(1.0) - f(2.0) / (exp32(f(2.0) * abs(x)) + f(1.0))
    q = -q if x < f(0.0) else q
    return p if z < f(0.390625) else q


def tanh64(x: Any) -> Any:
    """As :func:`tanh32` for float64, with a rational function near 0."""
    z = x * x
    p = (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3
    q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3
    near = x + x * z * p / q
    far = 1.0 - 2.0 / (exp64(2.0 * abs(x)) + 1.0)
    far = -far if x < 0.0 else far
    return near if z < 0.390625 else far


# A maximum of floats that propagates nan does not vectorise; one of integers in the same order, nan on top, does.
def sort_key32(x: Any) -> Any:
    """An integer that is ordered like ``x``, with nan on top."""
    k = np.float32(x).view(np.int32)
    k = k & np.int32(0x7FFFFFFF) if x != x else k
    return k ^ ((k >> np.int32(31)) & np.int32(0x7FFFFFFF))


def value_of_key32(k: Any) -> Any:
    """The inverse of :func:`sort_key32`."""
    return np.int32(k ^ ((k >> np.int32(31)) & np.int32(0x7FFFFFFF))).view(np.float32)


def sort_key64(x: Any) -> Any:
    """An integer that is ordered like ``x``, with nan on top."""
    k = np.float64(x).view(np.int64)
    k = k & np.int64(0x7FFFFFFFFFFFFFFF) if x != x else k
    return k ^ ((k >> 63) & 0x7FFFFFFFFFFFFFFF)


def value_of_key64(k: Any) -> Any:
    """The inverse of :func:`sort_key64`."""
    return np.int64(k ^ ((k >> 63) & 0x7FFFFFFFFFFFFFFF)).view(np.float64)


def has_large_angle32(x: Any, n: Any, step: Any) -> Any:
    """Whether one of ``n`` angles is too large for :func:`sincos32`."""
    far = np.int32(0)
    for j in range(n):
        far |= np.int32(abs(x[j * step]) > MAX_ANGLE32)
    return far != 0


def has_large_angle64(x: Any, n: Any, step: Any) -> Any:
    """Whether one of ``n`` angles is too large for :func:`sincos64`."""
    far = np.int64(0)
    for j in range(n):
        far |= np.int64(abs(x[j * step]) > MAX_ANGLE64)
    return far != 0


def reduce_angles(x: Any, n: Any, step: Any, out: Any) -> Any:
    """Reduce ``n`` angles to [-π, π] one by one, into ``out``."""
    for j in range(n):
        a = np.float64(x[j * step])
        out[j] = math.atan2(math.sin(a), math.cos(a)) if abs(a) > np.pi else a
    return out
