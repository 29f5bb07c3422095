"""Elementary functions: exponentials, logarithms, trigonometric and hyperbolic functions, sigmoids."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.ops.families import elementwise
from autodiff_kit.ops.in_place import entrywise_loop, is_plain, on_temporary
from autodiff_kit.ops.promotion import floating_array

_LN2 = math.log(2.0)


@elementwise(lambda g, y, _x: g * y, scalar=math.exp)
def exp(x: Any) -> Any:
    """The exponential function."""
    return np.exp(x)


@elementwise(lambda g, y, _x: g * (y * _LN2))
def exp2(x: Any) -> Any:
    """Powers of two, ``2 ** x``."""
    return np.exp2(x)


@elementwise(lambda g, _y, x: g * v.exp(x), scalar=math.expm1)
def expm1(x: Any) -> Any:
    """``exp(x) - 1``, accurate near 0."""
    return np.expm1(x)


@elementwise(lambda g, _y, x: g / x, scalar=math.log, domain="positive")
def log(x: Any) -> Any:
    """The natural logarithm."""
    return np.log(x)


@elementwise(lambda g, _y, x: g / (1.0 + x), scalar=math.log1p, domain="positive")
def log1p(x: Any) -> Any:
    """``log(1 + x)``, accurate near 0."""
    return np.log1p(x)


@elementwise(lambda g, _y, x: g / (x * _LN2), scalar=math.log2, domain="positive")
def log2(x: Any) -> Any:
    """The logarithm to base 2."""
    return np.log2(x)


@elementwise(lambda g, _y, x: g / (x * math.log(10.0)), scalar=math.log10, domain="positive")
def log10(x: Any) -> Any:
    """The logarithm to base 10."""
    return np.log10(x)


@elementwise(
    lambda g, y, _x: g * 0.5 / y,
    scalar=math.sqrt,
    domain="positive",
    points=(((0.0,), (np.inf,)),),
)
def sqrt(x: Any) -> Any:
    """The square root; its derivative at 0 is infinite."""
    return np.sqrt(x)


@elementwise(lambda g, y, x: g * -0.5 * y / x, domain="positive", points=(((0.0,), (-np.inf,)),))
def rsqrt(x: Any) -> Any:
    """The reciprocal square root, ``1 / sqrt(x)``; its derivative at 0 is minus infinity."""
    return np.divide(1.0, np.sqrt(x)).astype(np.sqrt(x).dtype)


@elementwise(lambda g, y, _x: g / (3.0 * y * y), points=(((0.0,), (np.inf,)),))
def cbrt(x: Any) -> Any:
    """The cube root, also of negative numbers; its derivative at 0 is infinite."""
    return np.cbrt(x)


@elementwise(lambda g, _y, _x: g * (180.0 / math.pi), scalar=math.degrees)
def degrees(x: Any) -> Any:
    """Convert angles from radians to degrees."""
    return np.degrees(x)


@elementwise(lambda g, _y, _x: g * (math.pi / 180.0), scalar=math.radians)
def radians(x: Any) -> Any:
    """Convert angles from degrees to radians."""
    return np.radians(x)


@elementwise(lambda g, _y, x: g * v.cos(x), scalar=math.sin)
def sin(x: Any) -> Any:
    """The sine."""
    return np.sin(x) if (y := entrywise_loop("sin", x)) is None else y


@elementwise(lambda g, _y, x: -(g * v.sin(x)), scalar=math.cos)
def cos(x: Any) -> Any:
    """The cosine."""
    return np.cos(x) if (y := entrywise_loop("cos", x)) is None else y


@elementwise(lambda g, y, _x: g * (1.0 + y * y), scalar=math.tan, domain="unit")
def tan(x: Any) -> Any:
    """The tangent."""
    return np.tan(x)


@elementwise(lambda g, _y, x: g * (-2.0 * x))
def _one_minus_square(x: Any) -> Any:
    """1 - x², as a product, accurate near -1 and 1; by the product rule its derivative would not be accurate near 0."""
    return np.multiply(1.0 - x, 1.0 + x)


@elementwise(
    lambda g, _y, x: g / v.sqrt(v.one_minus_square(x)), scalar=math.asin, domain="unit", points=(((1.0,), (np.inf,)),)
)
def asin(x: Any) -> Any:
    """The inverse sine; its derivative at -1 and 1 is infinite."""
    return np.arcsin(x)


@elementwise(
    lambda g, _y, x: -g / v.sqrt(v.one_minus_square(x)), scalar=math.acos, domain="unit", points=(((1.0,), (-np.inf,)),)
)
def acos(x: Any) -> Any:
    """The inverse cosine; its derivative at -1 and 1 is minus infinity."""
    return np.arccos(x)


@elementwise(lambda g, _y, x: g / (1.0 + x * x), scalar=math.atan)
def atan(x: Any) -> Any:
    """The inverse tangent."""
    return np.arctan(x)


@elementwise(lambda g, _y, x: g * v.cosh(x), scalar=math.sinh)
def sinh(x: Any) -> Any:
    """The hyperbolic sine."""
    return np.sinh(x)


@elementwise(lambda g, _y, x: g * v.sinh(x), scalar=math.cosh)
def cosh(x: Any) -> Any:
    """The hyperbolic cosine."""
    return np.cosh(x)


# Beside an array NumPy takes half the time for an array without axes as for a Python number.
_ONE = {char: np.ones((), char) for char in "fd"}


def _tanh_vjp(g: Any, y: Any, _x: Any) -> Any:
    if not is_plain(g, y):
        return g * (1.0 - y * y)
    slope = np.multiply(y, y)  # functions, because the cost model counts operators, and would count both ways
    np.subtract(_ONE[y.dtype.char], slope, out=slope)
    return np.multiply(g, slope, out=slope)


@elementwise(_tanh_vjp, scalar=math.tanh)
def tanh(x: Any) -> Any:
    """The hyperbolic tangent.

    The derivative comes from the output alone, ``1 - y²``, so that the input need not be kept. It is accurate beside 1,
    to 1.2 times the dtype's epsilon, and not beside itself: it is 0 from 19 on in float64, from 10 on in float32.
    """
    return np.tanh(x)


@elementwise(lambda g, _y, x: g / v.hypot(1.0, x), scalar=math.asinh, points=(((0.0,), (1.0,)),))
def asinh(x: Any) -> Any:
    """The inverse hyperbolic sine."""
    return np.arcsinh(x)


@elementwise(lambda g, _y, x: g / (v.sqrt(x - 1.0) * v.sqrt(x + 1.0)), scalar=math.acosh, domain="above one")
def acosh(x: Any) -> Any:
    """The inverse hyperbolic cosine."""
    return np.arccosh(x)


@elementwise(lambda g, _y, x: g / v.one_minus_square(x), scalar=math.atanh, domain="unit")
def atanh(x: Any) -> Any:
    """The inverse hyperbolic tangent."""
    return np.arctanh(x)


def _stable_sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)) with the exponential of negative numbers only, so that neither tail overflows."""
    if (y := entrywise_loop("sigmoid", x)) is not None:
        return y
    e = on_temporary(np.exp, -np.abs(x))
    right = np.greater_equal(x, 0)
    # 1 where x is positive, else e. A choice entry by entry takes five times as long where the signs are random.
    numerator = np.maximum(e, right) if is_plain(e) else np.where(right, 1.0, e).astype(e.dtype)
    return on_temporary(np.divide, numerator, on_temporary(np.add, e, 1.0))


def _stable_sigmoid_scalar(x: float) -> float:
    """The sigmoid of a Python float."""
    e = math.exp(-math.fabs(x))
    return 1.0 / (1.0 + e) if x >= 0 else e / (1.0 + e)


def _sigmoid_vjp(g: Any, y: Any, x: Any) -> Any:
    """g times the derivative, which is the product of the sigmoids of x and -x."""
    found = entrywise_loop("sigmoid_vjp", g, x)
    return g * (y * v.sigmoid(-x)) if found is None else found


@elementwise(_sigmoid_vjp, scalar=_stable_sigmoid_scalar)
def sigmoid(x: Any) -> Any:
    """The logistic function ``1 / (1 + exp(-x))``; value and derivative are accurate in both tails."""
    return _stable_sigmoid(floating_array(x))


def _softplus(x: Any) -> Any:
    """``log(1 + exp(x))``; of arrays by NumPy's vectorised functions, because logaddexp takes ten times as long."""
    if not is_plain(x):
        return np.logaddexp(x, np.zeros_like(x))
    tail = on_temporary(np.log1p, on_temporary(np.exp, -np.abs(x)))
    return on_temporary(np.add, tail, np.maximum(x, 0))


@elementwise(lambda g, _y, x: g * v.sigmoid(x))
def softplus(x: Any) -> Any:
    """``log(1 + exp(x))`` without overflow; its derivative is the sigmoid."""
    return _softplus(x)


@elementwise(lambda g, _y, x: g * v.sigmoid(-x))
def log_sigmoid(x: Any) -> Any:
    """``log(sigmoid(x))``, accurate in both tails."""
    return on_temporary(np.negative, _softplus(np.negative(floating_array(x))))


@elementwise(lambda g, _y, x: g / (x * (1.0 - x)), domain="inside", points=(((0.0,), (np.inf,)), ((1.0,), (np.inf,))))
def logit(x: Any) -> Any:
    """``log(x / (1 - x))``, the inverse of :func:`sigmoid`."""
    x = floating_array(x)
    return np.subtract(np.log(x), np.log1p(np.negative(x)))


@cache
def _sinc_series(n: int) -> tuple[float, list[float]]:
    """Up to which magnitude of z the series of the n-th derivative of ``sin(z) / z`` is taken, and its coefficients.

    The coefficient of ``z**p`` is ``(-1)**k / (p! (2k + 1))`` with ``2k = n + p``, so every other one is 0. The series
    loses digits of large z, the recurrence of small ones, the more the higher the order.
    """
    limit = 2.0 + n / 3.0
    powers = [p for p in range(n % 2, 120, 2) if limit**p / math.factorial(p) > 1e-19]
    return limit, [(-1.0) ** ((n + p) // 2) / (math.factorial(p) * (n + p + 1)) for p in powers]


@elementwise(lambda g, _y, x, *, n: g * v.sinc_derivative(x, n=n + 1))
def _sinc_derivative(x: Any, n: int) -> Any:
    """The n-th derivative of sinc: of ``z f = sin z`` n times, ``z f⁽ⁿ⁾ + n f⁽ⁿ⁻¹⁾ = sin⁽ⁿ⁾ z``; near 0 its series."""
    x = floating_array(x)
    z = np.pi * (x.astype(np.float32) if x.dtype == np.float16 else x)
    limit, coefficients = _sinc_series(n)
    near = np.abs(z) < limit
    u = np.where(near, z, 0)
    series: Any = coefficients[-1]
    square = np.square(u)
    for c in coefficients[-2::-1]:
        series = series * square + c
    z = np.where(near, 1, z)
    sine, cosine = np.sin(z), np.cos(z)
    far = sine / z
    for k in range(1, n + 1):
        far = ((sine, cosine, -sine, -cosine)[k % 4] - k * far) / z
    return (np.pi**n * np.where(near, series * u if n % 2 else series, far)).astype(x.dtype)


@elementwise(lambda g, _y, x: g * v.sinc_derivative(x, n=1), points=(((0.0,), (0.0,)),))
def sinc(x: Any) -> Any:
    """``sin(πx) / (πx)``, and 1 at 0, where its derivative is 0. Near 0 derivatives of every order are exact too."""
    return np.sinc(x)
