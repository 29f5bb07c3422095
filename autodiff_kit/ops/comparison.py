"""Comparison, logical and bitwise operations, and tests for nan and infinity. None has a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import zero
from autodiff_kit.core.tensor import Tensor, lift
from autodiff_kit.core.validation import flag, number


@zero(arrays=2)
def less(a: Any, b: Any) -> Any:
    """``a < b``."""
    return np.less(a, b)


@zero(arrays=2)
def less_equal(a: Any, b: Any) -> Any:
    """``a <= b``."""
    return np.less_equal(a, b)


@zero(arrays=2)
def greater(a: Any, b: Any) -> Any:
    """``a > b``."""
    return np.greater(a, b)


@zero(arrays=2)
def greater_equal(a: Any, b: Any) -> Any:
    """``a >= b``."""
    return np.greater_equal(a, b)


@zero(arrays=2)
def equal(a: Any, b: Any) -> Any:
    """``a == b``, entry by entry."""
    return np.equal(a, b)


@zero(arrays=2)
def not_equal(a: Any, b: Any) -> Any:
    """``a != b``, entry by entry."""
    return np.not_equal(a, b)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Where ``|a - b| <= atol + rtol * |b|``. Arguments as NumPy's."""
    near, step = number("isclose: rtol", rtol), number("isclose: atol", atol)
    return _is_close(a, b, near, step, flag("isclose: equal_nan", equal_nan))


@zero(arrays=2)
def _is_close(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """Where two values are nearly equal."""
    return np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all entries are close, as :func:`isclose` says. Arguments as NumPy's."""
    return bool(isclose(a, b, rtol, atol, equal_nan)._value.all())


def array_equal(a: Any, b: Any, equal_nan: bool = False) -> bool:
    """Whether shapes and all entries are equal. Arguments as NumPy's."""
    return bool(np.array_equal(np.asarray(lift(a)._value), np.asarray(lift(b)._value), flag("equal_nan", equal_nan)))


@zero(arrays=2)
def logical_and(a: Any, b: Any) -> Any:
    """Whether both hold."""
    return np.logical_and(a, b)


@zero(arrays=2)
def logical_or(a: Any, b: Any) -> Any:
    """Whether one of the two holds."""
    return np.logical_or(a, b)


@zero(arrays=2)
def logical_xor(a: Any, b: Any) -> Any:
    """Whether just one of the two holds."""
    return np.logical_xor(a, b)


@zero()
def logical_not(x: Any) -> Any:
    """Whether it does not hold."""
    return np.logical_not(x)


@zero(arrays=2)
def bitwise_and(a: Any, b: Any) -> Any:
    """The bits that both have; of truth values whether both hold."""
    return np.bitwise_and(a, b)


@zero(arrays=2)
def bitwise_or(a: Any, b: Any) -> Any:
    """The bits that one of the two has; of truth values whether one holds."""
    return np.bitwise_or(a, b)


@zero(arrays=2)
def bitwise_xor(a: Any, b: Any) -> Any:
    """The bits that just one of the two has; of truth values whether just one holds."""
    return np.bitwise_xor(a, b)


@zero()
def bitwise_invert(x: Any) -> Any:
    """The other bits; of a truth value the other one."""
    return np.invert(x)


@zero()
def isnan(x: Any) -> Any:
    """Where entries are nan."""
    return np.isnan(x)


@zero()
def isinf(x: Any) -> Any:
    """Where entries are infinite."""
    return np.isinf(x)


@zero()
def isfinite(x: Any) -> Any:
    """Where entries are neither infinite nor nan."""
    return np.isfinite(x)
