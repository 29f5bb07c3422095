"""Standardization of values to mean 0 and variance 1, for normalization layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.ops.families import general
from autodiff_kit.ops.in_place import loop_over_axes

Axes = tuple[int, ...]


def _is_float16(x: Any) -> bool:
    """Whether a value is float16; checks the dtype only, because traced values have no numbers."""
    return getattr(unwrap(x), "dtype", None) == np.float16


def _to_float32(x: Any) -> Any:
    """float16 as float32, for sums and squares; other dtypes unchanged."""
    return v.to_float(x, dtype=np.float32) if _is_float16(x) else x


def _mean_keeping_axes(x: Any, axis: Axes) -> Any:
    return v.mean(x, axis=axis, keepdims=True)


def _centered_and_scale(x: Any, axis: Axes, epsilon: float) -> tuple[Any, Any]:
    """The entries minus their mean, and one over the standard deviation."""
    away = x - _mean_keeping_axes(x, axis)
    return away, 1.0 / v.sqrt(_mean_keeping_axes(away * away, axis) + epsilon)


def _standardize_vjp(g: Any, y: Any, x: Any, *, axis: Axes, epsilon: float) -> Any:
    """``(g - mean(g) - y * mean(g * y)) / deviation``; the Jacobian is symmetric, so the JVP is the same."""
    if (found := loop_over_axes("standardize_vjp", axis, g, y, x, numbers=(epsilon,))) is not None:
        return found
    g, y = _to_float32(g), _to_float32(y)
    return (g - _mean_keeping_axes(g, axis) - y * _mean_keeping_axes(g * y, axis)) * _centered_and_scale(
        _to_float32(x), axis, epsilon
    )[1]


@general(
    _standardize_vjp,
    jvp=lambda t, y, x, *, axis, epsilon: _to_dtype_of(_standardize_vjp(t[0], y, x, axis=axis, epsilon=epsilon), y),
    flops=lambda y, x: 7 * np.size(y),
)
def standardize(x: Any, axis: Axes, epsilon: float) -> Any:
    """Standardize over axes: subtract the mean and divide by the square root of variance plus ``epsilon``."""
    if (found := loop_over_axes("standardize", axis, x, numbers=(epsilon,))) is not None:
        return found
    away, rate = _centered_and_scale(_to_float32(np.asarray(x) if type(x) is float else x), axis, epsilon)
    return _to_dtype_of(away * rate, x)


def _to_dtype_of(y: Any, like: Any) -> Any:
    """Convert to float16 if ``like`` is float16."""
    return v.to_float(y, dtype=np.float16) if _is_float16(like) else y
