"""Sums, products, powers and extremes of two values."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from autodiff_kit.core.rules import elementwise, v
from autodiff_kit.core.tensor import plain

__all__ = [
    "abs",
    "add",
    "atan2",
    "divide",
    "hypot",
    "logaddexp",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "power",
    "reciprocal",
    "square",
    "subtract",
    "xlogy",
]


@elementwise(lambda g, _y, _a, _b: g, lambda g, _y, _a, _b: g, scalar=operator.add)
def add(a: Any, b: Any) -> Any:
    """``a + b``, entry by entry. The record holds neither."""
    return np.add(a, b)


@elementwise(lambda g, _y, _a, _b: g, lambda g, _y, _a, _b: -g, scalar=operator.sub)
def subtract(a: Any, b: Any) -> Any:
    """``a - b``, entry by entry. The record holds neither."""
    return np.subtract(a, b)


@elementwise(lambda g, _y, _a, b: g * b, lambda g, _y, a, _b: g * a, scalar=operator.mul)
def multiply(a: Any, b: Any) -> Any:
    """``a * b``, entry by entry."""
    return np.multiply(a, b)


@elementwise(
    lambda g, _y, _a, b: g / b,
    lambda g, y, _a, b: -g * y / b,
    scalar=operator.truediv,
    domain="positive",
)
def divide(a: Any, b: Any) -> Any:
    """``a / b``, entry by entry; at 0/0 the gradients are IEEE's, inf and nan: nothing is hidden."""
    return np.divide(a, b)


def _power_slope(a: Any, b: Any) -> Any:
    """d(a**b)/da; an exponent of 0 gives exactly 0, also at a = 0, and 1 gives 1, so that second derivatives exist."""
    exponent = plain(b)
    if np.ndim(exponent) == 0 and exponent in (0, 1, 2):
        return (0.0 * a, 1.0 + 0.0 * a, 2.0 * a)[int(exponent)] if exponent != 1 else np.ones_like(plain(a))
    return v.select(b * v.power(a, b - 1.0), 0.0, condition=exponent != 0)


def _scalar_power(a: float, b: float) -> float:
    y = a**b
    if type(y) is not float:  # Python's answer to (-8.0)**0.5 is complex
        raise ValueError
    return y


def _exponent_slope(y: Any, a: Any, b: Any) -> Any:
    """d(a**b)/db: y log a for a > 0, 0 at a = 0 with b >= 0, else nan."""
    base, exponent = plain(a), plain(b)
    above = base > 0
    inside = y * v.log(v.select(a, 1.0, condition=above))
    return v.select(inside, np.where((base == 0) & (exponent >= 0), 0.0, np.nan), condition=above)


@elementwise(
    lambda g, _y, a, b: g * _power_slope(a, b),
    lambda g, y, a, b: g * _exponent_slope(y, a, b),
    scalar=_scalar_power,
    domain="positive",
    points=(((0.0, 0.0), (0.0, 0.0)), ((0.0, -1.0), (-np.inf, np.nan)), ((-2.0, 2.0), (-4.0, np.nan))),
)
def power(a: Any, b: Any) -> Any:
    """``a ** b``, entry by entry.

    At ``(0, 0)`` both gradients are 0; the gradient to the exponent of a negative base is nan, and it is not computed
    unless the exponent itself is followed.
    """
    return np.power(
        np.asarray(a, dtype=np.result_type(a, b, np.float16)) if np.result_type(a, b).kind in "iu" else a, b
    )


@elementwise(lambda g, _y, _x: -g, scalar=operator.neg)
def negative(x: Any) -> Any:
    """``-x``."""
    return np.negative(x)


@elementwise(lambda g, _y, x: g * (2.0 * x), scalar=lambda x: x * x)
def square(x: Any) -> Any:
    """``x * x``, as one operation."""
    return np.square(x)


@elementwise(lambda g, y, _x: -g * (y * y), domain="positive")
def reciprocal(x: Any) -> Any:
    """``1 / x``."""
    return np.divide(1.0, x)


def _sign(x: Any) -> Any:
    return np.sign(plain(x))


@elementwise(lambda g, _y, x: g * _sign(x), scalar=math.fabs, points=(((0.0,), (0.0,)),))
def abs(x: Any) -> Any:
    """``|x|``; the gradient at 0 is 0, the smallest subgradient."""
    return np.abs(x)


def _share(a: Any, b: Any) -> Any:
    """1 where a is the larger, one half at a tie."""
    a, b = plain(a), plain(b)
    return np.greater(a, b) + 0.5 * np.equal(a, b)


@elementwise(
    lambda g, _y, a, b: g * _share(a, b),
    lambda g, _y, a, b: g * _share(b, a),
    points=(((1.0, 1.0), (0.5, 0.5)),),
)
def maximum(a: Any, b: Any) -> Any:
    """The larger of two; at a tie each gets half. Beside a nan the gradients are arbitrary."""
    return np.maximum(a, b)


@elementwise(
    lambda g, _y, a, b: g * _share(b, a),
    lambda g, _y, a, b: g * _share(a, b),
    points=(((1.0, 1.0), (0.5, 0.5)),),
)
def minimum(a: Any, b: Any) -> Any:
    """The smaller of two; at a tie each gets half. Beside a nan the gradients are arbitrary."""
    return np.minimum(a, b)


@elementwise(
    lambda g, _y, _a, _b: g,
    lambda g, _y, a, b: -g * np.floor(plain(a) / plain(b)),
    domain="positive",
    points=(((6.0, 3.0), (1.0, -2.0)),),
)
def mod(a: Any, b: Any) -> Any:
    """The remainder, with the sign of ``b``; its slope in ``b`` is ``-floor(a / b)``."""
    return np.mod(a, b)


def _over_square(part: Any, a: Any, b: Any) -> Any:
    """part / (a² + b²), and 0 at the origin."""
    away = (plain(a) != 0) | (plain(b) != 0)
    return v.select(part, 0.0, condition=away) / v.select(a * a + b * b, 1.0, condition=away)


@elementwise(
    lambda g, _y, a, b: g * _over_square(b, a, b),
    lambda g, _y, a, b: g * _over_square(-a, a, b),
    scalar=math.atan2,
    points=(((0.0, 0.0), (0.0, 0.0)),),
)
def atan2(a: Any, b: Any) -> Any:
    """The angle of the point ``(b, a)``; at the origin both gradients are 0."""
    return np.arctan2(a, b)


def _ratio(a: Any, y: Any) -> Any:
    away = plain(y) != 0
    return v.select(a, 0.0, condition=away) / v.select(y, 1.0, condition=away)


@elementwise(
    lambda g, y, a, _b: g * _ratio(a, y),
    lambda g, y, _a, b: g * _ratio(b, y),
    scalar=math.hypot,
    points=(((0.0, 0.0), (0.0, 0.0)),),
)
def hypot(a: Any, b: Any) -> Any:
    """``sqrt(a² + b²)`` without overflow; it is a norm, so at the origin both gradients are 0."""
    return np.hypot(a, b)


def _portion(a: Any, y: Any) -> Any:
    """exp(a - y), one half where both are minus infinity."""
    equal = plain(a) == plain(y)
    apart = v.select(a, 0.0, condition=~np.asarray(equal)) - v.select(y, 0.0, condition=~np.asarray(equal))
    lowest = np.asarray(plain(y)) == -np.inf
    return v.select(v.exp(apart), 0.5, condition=~lowest)


@elementwise(
    lambda g, y, a, _b: g * _portion(a, y),
    lambda g, y, _a, b: g * _portion(b, y),
    points=(((-np.inf, -np.inf), (0.5, 0.5)), ((0.0, 0.0), (0.5, 0.5))),
)
def logaddexp(a: Any, b: Any) -> Any:
    """``log(exp(a) + exp(b))`` without overflow; where both are -inf each gets half."""
    return np.logaddexp(a, b)


@elementwise(
    lambda g, _y, x, y: g * v.log(v.select(y, 1.0, condition=plain(x) != 0)),
    lambda g, _y, x, y: g * v.select(x, 0.0, condition=plain(x) != 0) / v.select(y, 1.0, condition=plain(x) != 0),
    domain="positive",
    points=(((0.0, 0.0), (0.0, 0.0)), ((0.0, 2.0), (0.0, 0.0))),
)
def xlogy(x: Any, y: Any) -> Any:
    """``x log y``, and 0 with gradients 0 where ``x`` is 0."""
    zero = np.asarray(x) == 0
    kind = np.result_type(x, y)
    product = np.multiply(x, np.log(np.where(zero, 1.0, y)))
    return np.where(zero, 0.0, product).astype(kind if kind.kind == "f" else np.float64)
