"""Arithmetic: sums, products, powers, remainders, maxima of two values."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import elementwise
from autodiff_kit.ops.number_parameters import value_of_parameter
from autodiff_kit.ops.promotion import promote, widened


@elementwise(lambda g, _y, _a, _b: g, lambda g, _y, _a, _b: g, scalar=operator.add)
def add(a: Any, b: Any) -> Any:
    """Elementwise sum, ``a + b``. The tape keeps neither input."""
    return np.add(a, b)


@elementwise(lambda g, _y, _a, _b: g, lambda g, _y, _a, _b: -g, scalar=operator.sub)
def subtract(a: Any, b: Any) -> Any:
    """Elementwise difference, ``a - b``. The tape keeps neither input."""
    return np.subtract(a, b)


@elementwise(lambda g, _y, _a, b: g * b, lambda g, _y, a, _b: g * a, scalar=operator.mul)
def multiply(a: Any, b: Any) -> Any:
    """Elementwise product, ``a * b``."""
    return np.multiply(a, b)


@elementwise(
    lambda g, _y, _a, b: g / b,
    lambda g, y, _a, b: -g * y / b,
    scalar=operator.truediv,
    domain="positive",
)
def divide(a: Any, b: Any) -> Any:
    """Elementwise quotient, ``a / b``; at 0/0 the gradients are IEEE's inf and nan."""
    return np.divide(a, b)


def _power_derivative_base(y: Any, a: Any, b: Any) -> Any:
    """d(a**b)/da: exactly 0 for exponent 0, also at a = 0, and 1 for exponent 1, so that second derivatives exist."""
    b = widened(b, y)
    exponent = unwrap(b)
    number = isinstance(exponent, (float, int, np.generic)) or (type(exponent) is np.ndarray and not exponent.ndim)
    # The rule is differentiated with respect to the exponent: a tape follows it, or it is a dual number.
    moves = isinstance(b, Value) and (not isinstance(b, Tensor) or b.node is not None)
    if number and not moves and exponent in (0, 1, 2):
        return 2.0 * a if exponent == 2 else np.full_like(unwrap(a), exponent)
    if not moves and (number or not isinstance(a, Tensor)):
        return v.select(b * v.power(a, b - 1.0), 0.0, condition=exponent != 0)
    # At exponent 0 the derivative of this one with respect to the exponent is 1/a; at 0 ** 0 all are 0.
    inside = (exponent != 0) | (unwrap(a) != 0) if moves else exponent != 0
    return v.select(b * v.power(v.select(a, 1.0, condition=inside), b - 1.0), 0.0, condition=inside)


def _scalar_power(a: float, b: float) -> float:
    """a ** b of two Python floats; ValueError where the result is not real. As in NumPy a root is sqrt, nan at -inf."""
    if b == 0.5:
        return math.sqrt(a)
    y = a**b
    if type(y) is not float:  # (-8.0)**0.5 is complex in Python
        raise ValueError
    return y


def _power_derivative_exponent(y: Any, a: Any, b: Any) -> Any:
    """d(a**b)/db: y log a for a > 0, 0 at a = 0 with b >= 0, else nan, as are then the derivatives of this one."""
    base = unwrap(a)
    missing = as_array(np.where((base == 0) & (unwrap(b) >= 0), 1.0, np.nan), np.result_type(unwrap(y)))
    return y * v.log(v.select(widened(a, y), missing, condition=base > 0))


@elementwise(
    lambda g, _y, a, b: g * _power_derivative_base(_y, a, b),
    lambda g, y, a, b: g * _power_derivative_exponent(y, a, b),
    scalar=_scalar_power,
    domain="positive",
    # Of a rule with several cases the usual one counts, and the sums over broadcast axes.
    flops_back=lambda y, a, b, *, asked: sum((6, 5)[k] * np.size(y) + np.size(y) - np.size((a, b)[k]) for k in asked),
    points=(
        ((0.0, 0.0), (0.0, 0.0)),
        ((0.0, -1.0), (-np.inf, np.nan)),
        ((np.inf, 0.0), (0.0, np.inf)),
        ((-2.0, 2.0), (-4.0, np.nan)),
    ),
)
def power(a: Any, b: Any) -> Any:
    """Elementwise power, ``a ** b``.

    At ``(0, 0)`` both gradients are 0. The gradient with respect to the exponent of a negative base is nan; it is not
    computed unless the exponent itself is watched. Integers give integers, unless an exponent is negative.
    """
    if not (_is_floating(a) or _is_floating(b)) and np.result_type(a, b).kind in "iu" and np.size(b) and np.min(b) < 0:
        return np.power(as_array(a, np.result_type(a, b, np.float16)), b)
    return np.power(a, b)


def _is_floating(x: Any) -> bool:
    """Whether a value has a floating dtype."""
    return type(x) is float or (type(x) is not int and x.dtype.kind == "f")


@elementwise(lambda g, _y, _x: -g, scalar=operator.neg)
def negative(x: Any) -> Any:
    """Elementwise negative, ``-x``."""
    return np.negative(x)


@sections_of(negative)
def positive(x: Any) -> Tensor:
    """``+x``, the value itself.

    Notes
    -----
    **Gradient.** 1.

    Examples
    --------
    >>> float(ak.positive(-2.0))
    -2.0
    """
    return v.identity(as_tensor(x))  # type: ignore[no-any-return]


@elementwise(lambda g, _y, x: g * (2.0 * x), scalar=lambda x: x * x)
def square(x: Any) -> Any:
    """Elementwise square, ``x * x``, as one operation."""
    return np.square(x)


@elementwise(lambda g, y, _x: -g * (y * y), domain="positive")
@sections_of(negative)
def reciprocal(x: Any) -> Any:
    """Elementwise reciprocal, ``1 / x``.

    Notes
    -----
    **Shapes.** That of ``x``.
    **Dtypes.** Floating ones are kept. Integers and booleans give float64; NumPy's function rounds towards 0.
    **Gradient.** In both modes and to any order.
    **Cost.** Proportional to the number of entries.

    Examples
    --------
    >>> ak.reciprocal([2, 4]).tolist()
    [0.5, 0.25]
    """
    return np.divide(1.0, x)


_LN2 = math.log(2.0)


def _sign_of(x: Any) -> Any:
    """The sign as a plain array: a constant in derivatives."""
    return np.sign(unwrap(x))


@elementwise(lambda g, _y, x: g * _sign_of(x), scalar=math.fabs, points=(((0.0,), (0.0,)),))
def abs(x: Any) -> Any:
    """Absolute value, ``|x|``; the gradient at 0 is 0, the subgradient of smallest norm."""
    return np.abs(x)


@sections_of(abs)
def fabs(x: Any) -> Tensor:
    """Absolute value, ``|x|``, floating also for integers.

    Notes
    -----
    **Gradient.** As that of :func:`abs`: the sign, and 0 at 0.

    Examples
    --------
    >>> float(ak.fabs(-3))
    3.0
    """
    t = as_tensor(x)
    return abs(t if t.dtype.kind == "f" else t * np.float16(1.0))


@elementwise(
    lambda g, _y, x, *, like: g * (_sign_of(x) * np.copysign(1.0, like)),
    prepare=lambda x, like: {"like": _sign_source(x, like)},
)
def _copysign(x: Any, like: Any) -> Any:
    """The magnitude of ``x`` with the sign of ``like``."""
    return np.copysign(x, like)


def _sign_source(x: Tensor, like: Any) -> Any:
    """What gives the signs: a number, or an array in a dtype with which the result has NumPy's dtype."""
    if type(like) is float:
        return like
    signs: Any = (-1.0 if like < 0 else 1.0) if type(like) is int else as_tensor(like)  # an integer may be of any size
    beside: Any = 1 if type(like) is int else np.ones(0, signs.dtype)
    return as_array(unwrap(signs), np.copysign(np.ones(0, x.dtype), beside).dtype)


def copysign(a: Any, b: Any) -> Tensor:
    """The magnitude of ``a`` with the sign of ``b``, also of -0.0.

    Parameters
    ----------
    a, b : Tensor or array_like

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the shapes do not broadcast.

    Notes
    -----
    **Gradient.** To ``a`` only: 1 or -1, and 0 where ``a`` is 0.

    Examples
    --------
    >>> ak.copysign([1.0, -2.0], -0.0).tolist()
    [-1.0, -2.0]
    """
    if type(a) in (int, float) and (kind := as_tensor(b).dtype).kind == "f":
        a = as_array(float(a), kind)  # a Python number takes its dtype from the other value
    return _copysign(a, b)


def _maximum_weight(a: Any, b: Any) -> Any:
    """The derivative of maximum with respect to ``a``: 1 where ``a`` is larger, one half at a tie, else 0."""
    a, b = unwrap(a), unwrap(b)
    return np.greater(a, b) + 0.5 * np.equal(a, b)


@elementwise(
    lambda g, _y, a, b: g * _maximum_weight(a, b),
    lambda g, _y, a, b: g * _maximum_weight(b, a),
    points=(((1.0, 1.0), (0.5, 0.5)),),
)
def maximum(a: Any, b: Any) -> Any:
    """Elementwise maximum of two values; at a tie each gets half of the gradient. Where one value is nan, the gradients
    are arbitrary.
    """
    return np.maximum(a, b)


@elementwise(
    lambda g, _y, a, b: g * _maximum_weight(b, a),
    lambda g, _y, a, b: g * _maximum_weight(a, b),
    points=(((1.0, 1.0), (0.5, 0.5)),),
)
def minimum(a: Any, b: Any) -> Any:
    """Elementwise minimum of two values; at a tie each gets half of the gradient. Where one value is nan, the gradients
    are arbitrary.
    """
    return np.minimum(a, b)


@elementwise(
    lambda g, _y, _a, _b: g,
    lambda g, _y, a, b: -g * np.floor_divide(unwrap(a), unwrap(b)),
    domain="positive",
    points=(((6.0, 3.0), (1.0, -2.0)),),
)
def mod(a: Any, b: Any) -> Any:
    """Elementwise remainder with the sign of ``b``; its derivative with respect to ``b`` is ``-floor(a / b)``."""
    return np.mod(a, b)


def _divide_by_squared_norm(part: Any, a: Any, b: Any) -> Any:
    """part / (a² + b²), and 0 at the origin; divided by the norm twice, because the square may overflow."""
    away = (unwrap(a) != 0) | (unwrap(b) != 0)
    length = v.select(v.hypot(a, b), 1.0, condition=away)
    return v.select(part, 0.0, condition=away) / length / length


@elementwise(
    lambda g, _y, a, b: g * _divide_by_squared_norm(b, a, b),
    lambda g, _y, a, b: -(g * _divide_by_squared_norm(a, a, b)),
    scalar=math.atan2,
    points=(((0.0, 0.0), (0.0, 0.0)),),
)
def atan2(a: Any, b: Any) -> Any:
    """The angle of the point ``(b, a)``, the arctangent of ``a / b`` in all four quadrants; at the origin both
    gradients are 0.
    """
    return np.arctan2(a, b)


def _ratio_or_zero(a: Any, y: Any) -> Any:
    """a / y, and 0 where y is 0."""
    away = unwrap(y) != 0
    return v.select(a, 0.0, condition=away) / v.select(y, 1.0, condition=away)


@elementwise(
    lambda g, y, a, _b: g * _ratio_or_zero(a, y),
    lambda g, y, _a, b: g * _ratio_or_zero(b, y),
    scalar=math.hypot,
    points=(((0.0, 0.0), (0.0, 0.0)),),
)
def hypot(a: Any, b: Any) -> Any:
    """The hypotenuse ``sqrt(a² + b²)`` without overflow; at the origin both gradients are 0."""
    return np.hypot(a, b)


def _difference(a: Any, b: Any) -> Any:
    """a - b, and 0 where both are the same infinity; its sigmoid is the derivative of logaddexp.

    Not exp(a - y): the output y of large inputs is rounded, and two weights would not sum to 1.
    """
    apart = as_array((unwrap(a) != unwrap(b)) | (np.abs(unwrap(a)) != np.inf))
    return v.select(a, 0.0, condition=apart) - v.select(b, 0.0, condition=apart)


@elementwise(
    lambda g, _y, a, b: g * v.sigmoid(_difference(a, b)),
    lambda g, _y, a, b: g * v.sigmoid(_difference(b, a)),
    points=(((-np.inf, -np.inf), (0.5, 0.5)), ((np.inf, np.inf), (0.5, 0.5)), ((0.0, 0.0), (0.5, 0.5))),
)
def logaddexp(a: Any, b: Any) -> Any:
    """``log(exp(a) + exp(b))`` without overflow; where both are the same infinity each gets half of the gradient."""
    return np.logaddexp(a, b)


@elementwise(
    lambda g, _y, a, b: g * v.sigmoid(_difference(a, b) * _LN2),
    lambda g, _y, a, b: g * v.sigmoid(_difference(b, a) * _LN2),
    points=(((-np.inf, -np.inf), (0.5, 0.5)), ((np.inf, np.inf), (0.5, 0.5)), ((0.0, 0.0), (0.5, 0.5))),
)
def logaddexp2(a: Any, b: Any) -> Any:
    """``log2(2**a + 2**b)`` without overflow; where both are the same infinity each gets half of the gradient."""
    return np.logaddexp2(a, b)


def _not_both_zero(x: Any, y: Any) -> Any:
    """Where x or y is not 0."""
    return (unwrap(x) != 0) | (unwrap(y) != 0)


@elementwise(
    lambda g, _out, x, y: g * v.log(v.select(widened(y, _out), 1.0, condition=_not_both_zero(x, y))),
    lambda g, _y, x, y: (
        g * v.select(x, 0.0, condition=_not_both_zero(x, y)) / v.select(y, 1.0, condition=_not_both_zero(x, y))
    ),
    domain="positive",
    points=(((0.0, 0.0), (0.0, 0.0)), ((0.0, 2.0), (math.log(2.0), 0.0))),
)
def xlogy(x: Any, y: Any) -> Any:
    """``x * log(y)``, and 0 where ``x`` is 0; where both are 0, both gradients are 0."""
    zero = as_array(x) == 0
    kind = np.result_type(x, y)
    kind = kind if kind.kind == "f" else np.dtype(np.float64)
    product = np.multiply(x, np.log(as_array(np.where(zero, 1.0, y), kind)))
    return as_array(np.where(zero, 0.0, product), kind)


def _replacements(_x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> dict[str, Any]:
    """The parameters of nan_to_num as numbers."""
    numbers = {"nan": nan, "posinf": posinf, "neginf": neginf}
    return {name: value_of_parameter(f"nan_to_num: {name}", number) for name, number in numbers.items()}


@elementwise(
    lambda g, _y, x, *, nan, posinf, neginf: v.select(g, 0.0, condition=np.isfinite(unwrap(x))),
    prepare=_replacements,
    points=(((np.nan,), (0.0,)), ((np.inf,), (0.0,)), ((2.0,), (1.0,))),
)
def nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """Replace nan and the infinities by numbers.

    Parameters
    ----------
    x : Tensor or array_like
    nan : float, optional
        In place of nan.
    posinf, neginf : float, optional
        In place of the infinities; by default the largest and the smallest finite number of the dtype.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** Of entries that are replaced 0, of the others 1.

    Examples
    --------
    >>> ak.nan_to_num([np.nan, 2.0, -np.inf], neginf=-1.0).tolist()
    [0.0, 2.0, -1.0]
    """
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _ignoring_nan(choose: Any, a: Any, b: Any) -> Tensor:
    """maximum or minimum that ignores nan: where one value is nan, the other value, which gets all of the gradient."""
    found: Tensor = choose(a, b)
    if found.dtype.kind != "f":
        return found  # integers have no nan
    # A Python number takes its dtype from the other value.
    a, b = (as_tensor(float(x)) if type(x) in (int, float) else promote(as_tensor(x), found.dtype) for x in (a, b))
    left, right = np.isnan(a._value), np.isnan(b._value)
    whole: Tensor = v.select(b, v.select(a, found, condition=right), condition=left)
    return whole


@sections_of(maximum)
def fmax(a: Any, b: Any) -> Tensor:
    """Elementwise maximum that ignores nan.

    Notes
    -----
    **Gradient.** At a tie each gets half; where one is nan, the other gets all.

    Examples
    --------
    >>> float(ak.fmax(np.nan, 3.0))
    3.0
    """
    return _ignoring_nan(maximum, a, b)


@sections_of(fmax)
def fmin(a: Any, b: Any) -> Tensor:
    """Elementwise minimum that ignores nan.

    Examples
    --------
    >>> float(ak.fmin(np.nan, 3.0))
    3.0
    """
    return _ignoring_nan(minimum, a, b)
