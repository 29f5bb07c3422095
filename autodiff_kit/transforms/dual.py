"""Dual numbers: values that carry a tangent. Reverse rules run on them give the derivative of a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, canonical, unwrap
from autodiff_kit.core.operation import Op
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import Tracer, call_traced
from autodiff_kit.errors import AutodiffError

__all__ = ["Dual", "NeedsTensorsError"]


class NeedsTensorsError(AutodiffError):
    """A rule used a dual number in a way that only tensors support; the rule is then called again with tensors."""


class Dual(Value, Tracer):
    """A number or array with its tangent, of the same shape and dtype.

    The operators are written in line, because rules use them most; other operations come through :meth:`apply`.
    """

    __slots__ = ("_value", "tangent")
    level = 1
    __array_ufunc__ = None  # an array on the left leaves the operator to us

    def __init__(self, value: Any, tangent: Any) -> None:
        self._value = value
        self.tangent = tangent

    def apply(self, op: Op, values: Sequence[Any], params: dict[str, Any]) -> Any:
        """The output of an operation on ``values``, with its tangent by the operation's forward rule."""
        return _apply(op, values, params)

    def _as_tensor(self) -> Tensor:
        raise NeedsTensorsError("a tensor cannot hold the tangent of a value")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        raise NeedsTensorsError("an array cannot hold the tangent of a value")

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in _METADATA_FUNCTIONS:
            return func(*map(unwrap, args), **kwargs)
        raise NeedsTensorsError(f"np.{func.__name__} has no rule for tangents")

    def __getitem__(self, index: Any) -> Any:
        return Dual(self._value[index], self.tangent[index])

    def __neg__(self) -> Any:
        return Dual(-self._value, -self.tangent)

    def __add__(self, other: Any) -> Any:
        if type(other) is Dual:
            return Dual(self._value + other._value, self.tangent + other.tangent)
        y = self._value + other
        return Dual(y, self.tangent if type(other) is float else _aligned(self.tangent, y))

    __radd__ = __add__  # type: ignore[assignment]

    def __sub__(self, other: Any) -> Any:
        if type(other) is Dual:
            return Dual(self._value - other._value, self.tangent - other.tangent)
        y = self._value - other
        return Dual(y, _aligned(self.tangent, y))

    def __rsub__(self, other: Any) -> Any:
        y = other - self._value
        return Dual(y, -self.tangent if type(other) is float else _aligned(-self.tangent, y))

    def __mul__(self, other: Any) -> Any:
        x, t = self._value, self.tangent
        if other is self:
            half = t * x
            return Dual(x * x, half + half)
        if type(other) is Dual:
            z = other._value
            return Dual(x * z, t * z + x * other.tangent)
        return Dual(x * other, t * other)

    __rmul__ = __mul__  # type: ignore[assignment]

    def __truediv__(self, other: Any) -> Any:
        x, t = self._value, self.tangent
        if type(other) is Dual:
            z = other._value
            y = x / z
            return Dual(y, (t - y * other.tangent) / z)
        return Dual(x / other, t / other)

    def __rtruediv__(self, other: Any) -> Any:
        y = other / self._value
        return Dual(y, -y * self.tangent / self._value)


_METADATA_FUNCTIONS = (np.ndim, np.shape, np.size, np.result_type, np.zeros_like, np.ones_like)
"""Functions of NumPy that use shape and dtype only."""


def _aligned(tangent: Any, value: Any) -> Any:
    """A tangent in the shape and dtype of its value."""
    if type(value) is float:
        if not isinstance(tangent, Tracer):
            return float(tangent)
        value = np.float64(value)  # at a point that is known, in a direction that is not
    if type(tangent) is float:
        tangent = np.float64(tangent)
    if tangent.dtype is not value.dtype:
        tangent = tangent.astype(value.dtype, copy=False)
    return tangent if tangent.shape == value.shape else np.broadcast_to(tangent, value.shape)


def _apply(op: Op, values: Sequence[Any], params: dict[str, Any]) -> Any:
    together = len(values) == 1 and type(values[0]) in (tuple, list)  # an operation on a list of arrays
    inputs = values[0] if together else values
    raw = [x._value if type(x) is Dual else x for x in inputs]
    y = call_traced(op.value, [raw] if together else raw, params, op)
    if type(y) is not np.ndarray or not y.shape:
        y = canonical(y)
    if op.family == "nondifferentiable":
        return y
    if op.family == "bilinear" and type(y) is type(raw[0]) is type(raw[1]) is np.ndarray and not params:
        return Dual(y, _product_rule(op, *raw, *inputs))
    if op.user_defined or op.jvp is None:
        raise NeedsTensorsError(f"{op.name} has a rule that the user defined")
    if float in map(type, raw):
        raw = [np.float64(x) if type(x) is float else x for x in raw]
    tangents = tuple([x.tangent if type(x) is Dual else None for x in inputs])
    return Dual(y, _aligned(call_traced(op.jvp, (tangents, y, *raw), params), y))


def _product_rule(op: Op, a: Any, b: Any, left: Any, right: Any) -> Any:
    """The tangent of a product, where ``left`` is ``a`` and ``right`` is ``b``, one or both with their tangents."""
    if type(left) is not Dual:
        return call_traced(op.value, (a, right.tangent), {}, op)
    part = call_traced(op.value, (left.tangent, b), {}, op)
    return part + call_traced(op.value, (a, right.tangent), {}, op) if type(right) is Dual else part
