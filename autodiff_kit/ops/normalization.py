"""Values brought to mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import general, v
from autodiff_kit.core.tensor import plain

Axes = tuple[int, ...]


def _half(x: Any) -> bool:
    """Whether it is float16; asked without a look at the numbers, of which a recording has none."""
    return getattr(plain(x), "dtype", None) == np.float16


def _wide(x: Any) -> Any:
    """float16 is added up, and squared, in float32."""
    return v.to_float(x, dtype=np.float32) if _half(x) else x


def _mean(x: Any, axis: Axes) -> Any:
    return v.mean(x, axis=axis, keepdims=True)


def _away(x: Any, axis: Axes, epsilon: float) -> tuple[Any, Any]:
    """How far entries are from their mean, and one over the deviation."""
    away = x - _mean(x, axis)
    return away, 1.0 / v.sqrt(_mean(away * away, axis) + epsilon)


def _pull(g: Any, y: Any, x: Any, *, axis: Axes, epsilon: float) -> Any:
    """``(g - mean(g) - y * mean(g * y)) / deviation``; the matrix is symmetric, so tangents go the same way."""
    g, y = _wide(g), _wide(y)
    return (g - _mean(g, axis) - y * _mean(g * y, axis)) * _away(_wide(x), axis, epsilon)[1]


@general(
    _pull,
    jvp=lambda t, y, x, *, axis, epsilon: _narrow(_pull(t[0], y, x, axis=axis, epsilon=epsilon), y),
    flops=lambda y, x: 7 * np.size(y),
)
def standardize(x: Any, axis: Axes, epsilon: float) -> Any:
    """Entries minus their mean, over the root of variance plus ``epsilon``."""
    away, rate = _away(_wide(np.asarray(x) if type(x) is float else x), axis, epsilon)
    return _narrow(away * rate, x)


def _narrow(y: Any, like: Any) -> Any:
    return v.to_float(y, dtype=np.float16) if _half(like) else y
