"""Comparison, logical and bitwise operations, and tests for nan and infinity. None has a gradient."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.ops.families import nondifferentiable
from autodiff_kit.ops.number_parameters import real_number


def _of_floats(compare: Callable[[float, float], bool]) -> Callable[[float, float], np.bool_]:
    """A comparison of Python's floats, with NumPy's boolean as its result."""
    return lambda a, b: np.True_ if compare(a, b) else np.False_


@nondifferentiable(arrays=2, scalar=_of_floats(operator.lt))
def less(a: Any, b: Any) -> Any:
    """``a < b``, elementwise. No gradient: None."""
    return np.less(a, b)


@nondifferentiable(arrays=2, scalar=_of_floats(operator.le))
def less_equal(a: Any, b: Any) -> Any:
    """``a <= b``, elementwise. No gradient: None."""
    return np.less_equal(a, b)


@nondifferentiable(arrays=2, scalar=_of_floats(operator.gt))
def greater(a: Any, b: Any) -> Any:
    """``a > b``, elementwise. No gradient: None."""
    return np.greater(a, b)


@nondifferentiable(arrays=2, scalar=_of_floats(operator.ge))
def greater_equal(a: Any, b: Any) -> Any:
    """``a >= b``, elementwise. No gradient: None."""
    return np.greater_equal(a, b)


@nondifferentiable(arrays=2, scalar=_of_floats(operator.eq))
def equal(a: Any, b: Any) -> Any:
    """``a == b``, elementwise. No gradient: None."""
    return np.equal(a, b)


@nondifferentiable(arrays=2, scalar=_of_floats(operator.ne))
def not_equal(a: Any, b: Any) -> Any:
    """``a != b``, elementwise. No gradient: None."""
    return np.not_equal(a, b)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether two values are equal within a tolerance, elementwise: ``|a - b| <= atol + rtol * |b|``.

    Arguments as NumPy's.
    """
    near, step = (real_number(f"isclose: {name}", x) for name, x in (("rtol", rtol), ("atol", atol)))
    return _is_close(a, b, near, step, check_flag("isclose: equal_nan", equal_nan))


@nondifferentiable(arrays=2)
def _is_close(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """Whether ``|a - b| <= atol + rtol * |b|``, elementwise."""
    return np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all entries are equal within a tolerance, as :func:`isclose` defines it. Arguments as NumPy's."""
    return bool(isclose(a, b, rtol, atol, equal_nan)._value.all())


def array_equal(a: Any, b: Any, equal_nan: bool = False) -> bool:
    """Whether two values have the same shape and the same entries. Arguments as NumPy's."""
    first, second = (np.asarray(as_tensor(x)._value) for x in (a, b))
    return bool(np.array_equal(first, second, check_flag("equal_nan", equal_nan)))


@nondifferentiable(arrays=2)
def logical_and(a: Any, b: Any) -> Any:
    """Elementwise logical AND."""
    return np.logical_and(a, b)


@nondifferentiable(arrays=2)
def logical_or(a: Any, b: Any) -> Any:
    """Elementwise logical OR."""
    return np.logical_or(a, b)


@nondifferentiable(arrays=2)
def logical_xor(a: Any, b: Any) -> Any:
    """Elementwise logical XOR."""
    return np.logical_xor(a, b)


@nondifferentiable()
def logical_not(x: Any) -> Any:
    """Elementwise logical NOT."""
    return np.logical_not(x)


@nondifferentiable(arrays=2)
def bitwise_and(a: Any, b: Any) -> Any:
    """Elementwise bitwise AND; logical AND of booleans."""
    return np.bitwise_and(a, b)


@nondifferentiable(arrays=2)
def bitwise_or(a: Any, b: Any) -> Any:
    """Elementwise bitwise OR; logical OR of booleans."""
    return np.bitwise_or(a, b)


@nondifferentiable(arrays=2)
def bitwise_xor(a: Any, b: Any) -> Any:
    """Elementwise bitwise XOR; logical XOR of booleans."""
    return np.bitwise_xor(a, b)


@nondifferentiable()
def bitwise_invert(x: Any) -> Any:
    """Elementwise bitwise NOT; logical NOT of booleans."""
    return np.invert(x)


@nondifferentiable()
def isnan(x: Any) -> Any:
    """Whether entries are nan."""
    return np.isnan(x)


@nondifferentiable()
def isinf(x: Any) -> Any:
    """Whether entries are infinite."""
    return np.isinf(x)


@nondifferentiable()
def isfinite(x: Any) -> Any:
    """Whether entries are neither infinite nor nan."""
    return np.isfinite(x)
