"""Standardization of values to mean 0 and variance 1, for normalization layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.ops.families import general
from autodiff_kit.ops.in_place import LEAST_ENTRIES, loop_over_axes

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


def _layer_norm_vjps(
    g: Any, _y: Any, x: Any, scale: Any, _offset: Any, *, axis: Axes, epsilon: float
) -> tuple[Any, Any, Any]:
    """The cotangents of all three inputs; those of scale and offset are summed by a loop, or by un-broadcasting."""
    if (loop := _loop_over_rows("layer_norm_vjp_rows", axis, (x, g), (scale,))) is not None:
        n, shape, dtype = scale.size, scale.shape, x.dtype
        moved, to_scale, to_offset = np.empty(x.shape, dtype), np.zeros(shape, dtype), np.zeros(shape, dtype)
        arrays = _as_rows(g, n), _as_rows(x, n), scale.ravel(), dtype.type(epsilon)
        loop(*arrays, moved.reshape(-1, n), to_scale.ravel(), to_offset.ravel())
        return moved, to_scale, to_offset
    y = v.standardize(x, axis, epsilon)
    return _standardize_vjp(g * scale, y, x, axis=axis, epsilon=epsilon), g * y, g


def _layer_norm_jvp(t: Any, y: Any, x: Any, scale: Any, _offset: Any, *, axis: Axes, epsilon: float) -> Any:
    """The tangents of the three inputs go through the factor, the standardized values and nothing."""
    moved = t[2]
    if t[0] is None and t[1] is None:  # then the record may not hold the input
        return moved
    standard = v.standardize(x, axis, epsilon)
    if t[1] is not None:
        moved = t[1] * standard if moved is None else t[1] * standard + moved
    if t[0] is not None:
        along = _to_dtype_of(_standardize_vjp(t[0], standard, x, axis=axis, epsilon=epsilon), y) * scale
        moved = along if moved is None else along + moved
    return moved


@general(
    lambda g, _y, x, scale, _offset, *, axis, epsilon: _standardize_vjp(
        g * scale, v.standardize(x, axis, epsilon), x, axis=axis, epsilon=epsilon
    ),
    lambda g, _y, x, _scale, _offset, *, axis, epsilon: g * v.standardize(x, axis, epsilon),
    lambda g, _y, _x, _scale, _offset, *, axis, epsilon: g,
    vjp_all=_layer_norm_vjps,
    jvp=_layer_norm_jvp,
    flops=lambda y, *_: 9 * np.size(y),
)
def layer_norm(x: Any, scale: Any, offset: Any, axis: Axes, epsilon: float) -> Any:
    """Standardize over axes, multiply by ``scale`` and add ``offset``; both are broadcast along the other axes."""
    if (loop := _loop_over_rows("layer_norm_rows", axis, (x,), (scale, offset))) is not None:
        n, out = scale.size, np.empty(x.shape, x.dtype)
        loop(_as_rows(x, n), scale.ravel(), offset.ravel(), x.dtype.type(epsilon), out.reshape(-1, n))
        return out
    return v.standardize(x, axis, epsilon) * scale + offset


def _loop_over_rows(name: str, axis: Axes, wide: tuple[Any, ...], short: tuple[Any, ...]) -> Any:
    """A compiled loop over the last axes as rows; None where it does not fit ``wide`` arrays or ``short``, one row."""
    x = wide[0]
    if (
        type(x) is not np.ndarray
        or x.size < LEAST_ENTRIES
        or x.dtype.char not in "fd"
        or not axis
        or axis[0] != -len(axis)
    ):
        return None
    for arrays, shape in ((wide, x.shape), (short, x.shape[axis[0] :])):
        for a in arrays:
            if type(a) is not np.ndarray or a.dtype is not x.dtype or a.shape != shape:
                return None
    return kernels.compiled_loop(name)


def _as_rows(x: Any, length: int) -> Any:
    return np.ascontiguousarray(x).reshape(-1, length)
