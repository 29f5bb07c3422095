"""Exponentials, logarithms, trigonometry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit.core.rules import elementwise, v

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log1p", "log2", "log10",
    "sigmoid", "sin", "sinc", "sinh", "softplus", "sqrt", "tan", "tanh",
]  # fmt: skip


@elementwise(lambda g, y, _x: g * y, scalar=math.exp)
def exp(x: Any) -> Any:
    """The exponential."""
    return np.exp(x)


@elementwise(lambda g, y, _x: g * (y + 1.0), scalar=math.expm1)
def expm1(x: Any) -> Any:
    """``exp(x) - 1``, exact near 0."""
    return np.expm1(x)


@elementwise(lambda g, _y, x: g / x, scalar=math.log, domain="positive")
def log(x: Any) -> Any:
    """The natural logarithm."""
    return np.log(x)


@elementwise(lambda g, _y, x: g / (1.0 + x), scalar=math.log1p, domain="positive")
def log1p(x: Any) -> Any:
    """``log(1 + x)``, exact near 0."""
    return np.log1p(x)


@elementwise(lambda g, _y, x: g / (x * math.log(2.0)), scalar=math.log2, domain="positive")
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
    """The square root; its slope at 0 is infinite."""
    return np.sqrt(x)


@elementwise(lambda g, _y, x: g * v.cos(x), scalar=math.sin)
def sin(x: Any) -> Any:
    """The sine."""
    return np.sin(x)


@elementwise(lambda g, _y, x: -(g * v.sin(x)), scalar=math.cos)
def cos(x: Any) -> Any:
    """The cosine."""
    return np.cos(x)


@elementwise(lambda g, y, _x: g * (1.0 + y * y), scalar=math.tan, domain="unit")
def tan(x: Any) -> Any:
    """The tangent."""
    return np.tan(x)


@elementwise(lambda g, _y, x: g / v.sqrt(1.0 - x * x), scalar=math.asin, domain="unit", points=(((1.0,), (np.inf,)),))
def asin(x: Any) -> Any:
    """The inverse sine; its slope at -1 and 1 is infinite."""
    return np.arcsin(x)


@elementwise(lambda g, _y, x: -g / v.sqrt(1.0 - x * x), scalar=math.acos, domain="unit", points=(((1.0,), (-np.inf,)),))
def acos(x: Any) -> Any:
    """The inverse cosine; its slope at -1 and 1 is minus infinity."""
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


@elementwise(lambda g, y, _x: g * (1.0 - y * y), scalar=math.tanh)
def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return np.tanh(x)


@elementwise(lambda g, _y, x: g / v.sqrt(1.0 + x * x), scalar=math.asinh, points=(((0.0,), (1.0,)),))
def asinh(x: Any) -> Any:
    """The inverse hyperbolic sine."""
    return np.arcsinh(x)


@elementwise(lambda g, _y, x: g / v.sqrt(x * x - 1.0), scalar=math.acosh, domain="above one")
def acosh(x: Any) -> Any:
    """The inverse hyperbolic cosine."""
    return np.arccosh(x)


@elementwise(lambda g, _y, x: g / (1.0 - x * x), scalar=math.atanh, domain="unit")
def atanh(x: Any) -> Any:
    """The inverse hyperbolic tangent."""
    return np.arctanh(x)


def _two_sided(x: Any) -> Any:
    """1 / (1 + exp(-x)) with e raised to powers that are not positive, so that neither tail overflows."""
    e = np.exp(-np.abs(x))
    return np.where(np.greater_equal(x, 0), np.divide(1.0, 1.0 + e), e / (1.0 + e)).astype(e.dtype)


def _two_sided_scalar(x: float) -> float:
    e = math.exp(-math.fabs(x))
    return 1.0 / (1.0 + e) if x >= 0 else e / (1.0 + e)


@elementwise(lambda g, y, x: g * (y * v.sigmoid(-x)), scalar=_two_sided_scalar)
def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))``, exact in both tails; so is its slope, which is ``sigmoid(x) * sigmoid(-x)``."""
    return _two_sided(x)


@elementwise(lambda g, _y, x: g * v.sigmoid(x))
def softplus(x: Any) -> Any:
    """``log(1 + exp(x))`` without overflow; its slope is the sigmoid."""
    return np.logaddexp(x, np.zeros_like(x))


def _sinc_slope(x: Any) -> Any:
    """(cos πx - sinc x)/x, by its series near 0, where the quotient has lost its digits."""
    raw = x._value if hasattr(x, "_value") else x
    near = np.abs(raw) < 1e-2
    z = v.select(x, 1.0, condition=~np.asarray(near))
    far = (v.cos(np.pi * z) - v.sinc(z)) / z
    u = v.select(x, 0.0, condition=near)
    q = (np.pi**2) * u * u
    series = (-(np.pi**2) / 3) * u * (1.0 - q * 0.1 * (1.0 - q / 28.0))
    return v.select(series, far, condition=near)


@elementwise(lambda g, _y, x: g * _sinc_slope(x), points=(((0.0,), (0.0,)),))
def sinc(x: Any) -> Any:
    """``sin(πx) / (πx)``, and 1 at 0, where its slope is 0."""
    return np.sinc(x)
