"""A value that carries its tangent along: the reverse rules, run on such values, say how a gradient moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.tensor import Value, normal, plain
from autodiff_kit.errors import AutodiffError, NumbersAskedError

if TYPE_CHECKING:
    from autodiff_kit.core.operation import Op

__all__ = ["Dual", "NeedsTensorsError", "carried"]


class NeedsTensorsError(AutodiffError):
    """A rule did something with a value that carries a tangent which only tensors can do; it is run on tensors then."""


class Dual(Value):
    """A number or array, and how it moves: of its shape and dtype.

    The operators are written out, since rules are made of them; operations come by :func:`carried`.
    """

    __slots__ = ("_value", "tangent")
    __array_ufunc__ = None  # type: ignore[assignment]  # an array on the left leaves the operator to us

    def __init__(self, value: Any, tangent: Any) -> None:
        self._value = value
        self.tangent = tangent

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        raise NeedsTensorsError("an array cannot hold the tangent of a value")

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in _LOOKS:
            return func(*map(plain, args), **kwargs)
        raise NeedsTensorsError(f"np.{func.__name__} knows nothing of tangents")

    def __getitem__(self, index: Any) -> Any:
        return Dual(self._value[index], self.tangent[index])

    def __neg__(self) -> Any:
        return Dual(-self._value, -self.tangent)

    def __add__(self, other: Any) -> Any:
        if type(other) is Dual:
            return Dual(self._value + other._value, self.tangent + other.tangent)
        y = self._value + other
        return Dual(y, self.tangent if type(other) is float else _aligned(self.tangent, y))

    __radd__ = __add__

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

    __rmul__ = __mul__

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


_LOOKS = (np.ndim, np.shape, np.size, np.result_type, np.zeros_like, np.ones_like)
"""What NumPy says of a value whatever its numbers are."""


def _aligned(tangent: Any, value: Any) -> Any:
    """A tangent in the shape and dtype of its value."""
    if type(value) is float:
        return float(tangent)
    if type(tangent) is float:
        tangent = np.float64(tangent)
    if tangent.dtype is not value.dtype:
        tangent = tangent.astype(value.dtype, copy=False)
    return tangent if tangent.shape == value.shape else np.broadcast_to(tangent, value.shape)


def carried(op: Op, values: tuple[Any, ...], params: dict[str, Any], together: bool = False) -> Any:
    """Any operation on values of which some carry a tangent; ``together``: they are one list."""
    raw = [x._value if type(x) is Dual else x for x in values]
    y = _called(op, op.value, [raw] if together else raw, params)
    if type(y) is not np.ndarray or not y.shape:
        y = normal(y)
    if op.family == "zero":
        return y
    if op.family == "bilinear" and type(y) is type(raw[0]) is type(raw[1]) is np.ndarray and not params:
        return Dual(y, _product_moved(op.value, *raw, *values))
    if op.users or op.jvp is None:
        raise NeedsTensorsError(f"{op.name} has a rule of the user's")
    if float in map(type, raw):
        raw = [np.float64(x) if type(x) is float else x for x in raw]
    tangents = tuple([x.tangent if type(x) is Dual else None for x in values])
    return Dual(y, _aligned(_called(op.jvp, op.jvp, (tangents, y, *raw), params), y))


def _product_moved(product: Any, a: Any, b: Any, left: Any, right: Any) -> Any:
    """The product rule, where ``left`` is ``a`` and ``right`` is ``b``, one of them or both with their tangents."""
    if type(left) is not Dual:
        return product(a, right.tangent)
    part = product(left.tangent, b)
    return part + product(a, right.tangent) if type(right) is Dual else part


def _called(what: Any, function: Any, arguments: Sequence[Any], params: dict[str, Any]) -> Any:
    """What a function gives; one that needs numbers where there are none yet is recorded as a call of ``what``."""
    try:
        return function(*arguments, **params)
    except NumbersAskedError as asked:
        if asked.recorder is None:
            raise
        return asked.recorder.call(what, tuple(arguments), params)
