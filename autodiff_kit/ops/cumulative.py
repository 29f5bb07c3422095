"""Cumulative sums and products along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.ops.axes import negative_axis, slice_along
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import general, linear
from autodiff_kit.ops.shape_manipulation import ravel


def _pad_zeros(x: Any, axis: int, before: int, behind: int) -> Any:
    """Zeros added before and after the entries of an axis."""
    return v.frame(x, width=((before, behind), *((0, 0),) * (-axis - 1)), fill=0)


def _flattened_or_axis(x: Any, axis: int | None, name: str) -> tuple[Tensor, int]:
    """The tensor and the axis of the scan; without an axis the flattened tensor."""
    t = as_tensor(x)
    if not t.ndim or (axis is None and t.ndim > 1):  # NumPy treats a number as a vector here
        t = ravel(t)
    return t, negative_axis(-1 if axis is None else axis, t.ndim, name)


def _cumsum_of_array(x: np.ndarray[Any, Any], axis: int) -> np.ndarray[Any, Any]:
    """The cumulative sum, of float16 in float32."""
    if x.dtype == np.float16:  # float16 is too inexact for long sums
        return np.cumsum(x, axis, np.float32).astype(np.float16)
    return np.cumsum(x, axis)


@linear(
    lambda g, _y, _x, *, axis: slice_along(
        v.cumsum(slice_along(g, axis, None, None, -1), axis=axis), axis, None, None, -1
    ),
    counts=True,
)
def _cumsum(x: Any, axis: int) -> Any:
    """The cumulative sum along an axis."""
    return _cumsum_of_array(np.asarray(x), axis)


def cumsum(x: Any, axis: int | None = None) -> Tensor:
    """The cumulative sum.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int, optional
        By default the array is flattened, as in NumPy.

    Returns
    -------
    Tensor

    Notes
    -----
    **Dtypes.** float16 is summed in float32.

    Examples
    --------
    >>> ak.cumsum([1.0, 2.0, 3.0]).numpy()
    array([1., 3., 6.])
    """
    return _cumsum(*_flattened_or_axis(x, axis, "cumsum"))


# -------------------------------------------------------------------------------- the linear recurrence
def _run_recurrence(b: np.ndarray[Any, Any], a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """h[k] = b[k] + a[k] * h[k - 1] along the last axis; in Python numbers if there are few rows."""
    n = b.shape[-1]
    out = np.empty(b.shape, b.dtype)
    if not b.size:
        return out
    if b.size <= 8 * n:
        for row, bs, as_ in zip(out.reshape(-1, n), b.reshape(-1, n).tolist(), a.reshape(-1, n).tolist(), strict=True):
            last, line = 0.0, []
            for x, y in zip(bs, as_, strict=True):
                last = x + y * last
                line.append(last)
            row[:] = line
        return out
    h = np.zeros(b.shape[:-1], b.dtype)
    for k in range(n):
        h = b[..., k] + a[..., k] * h
        out[..., k] = h
    return out


def _shift_forward(y: Any, axis: int, first: float) -> Any:
    """Each entry replaced by the one before it along the axis, the first by ``first``."""
    shifted = _pad_zeros(slice_along(y, axis, None, -1), axis, 1, 0)
    if not first:
        return shifted
    begin = np.arange(np.shape(y)[axis]) == 0
    return v.select(first, shifted, condition=begin.reshape(-1, *(1,) * (-axis - 1)))


def _reverse_recurrence(g: Any, a: Any, axis: int) -> Any:
    """The recurrence from the end: h[k] = g[k] + a[k + 1] * h[k + 1]."""
    after = _pad_zeros(slice_along(a, axis, 1, None), axis, 0, 1)
    turned = v.recurrence(slice_along(g, axis, None, None, -1), slice_along(after, axis, None, None, -1), axis=axis)
    return slice_along(turned, axis, None, None, -1)


def _recurrence_jvp(t: Any, y: Any, _b: Any, a: Any, *, axis: int) -> Any:
    parts = [] if t[0] is None else [t[0]]
    if t[1] is not None:
        parts.append(t[1] * _shift_forward(y, axis, 0.0))
    return v.recurrence(parts[0] + parts[1] if len(parts) > 1 else parts[0], a, axis=axis)


@general(
    lambda g, _y, _b, a, *, axis: _reverse_recurrence(g, a, axis),
    lambda g, y, _b, a, *, axis: _reverse_recurrence(g, a, axis) * _shift_forward(y, axis, 0.0),
    jvp=_recurrence_jvp,
    flops=lambda y, *_: 2 * np.size(y),
    flops_back=lambda y, *_, asked: (2 + (1 in asked)) * np.size(y),
)
def _recurrence(b: Any, a: Any, axis: int) -> Any:
    """The linear recurrence ``h[k] = b[k] + a[k] * h[k - 1]`` along an axis, from 0. Its VJP is the same recurrence
    from the end.
    """
    b, a = np.broadcast_arrays(b, a)
    kind = np.result_type(b, a)
    rows = _run_recurrence(
        np.moveaxis(b, axis, -1).astype(kind, copy=False), np.moveaxis(a, axis, -1).astype(kind, copy=False)
    )
    return np.moveaxis(rows, -1, axis)


@general(
    lambda g, y, x, *, axis: _reverse_recurrence(g, x, axis) * _shift_forward(y, axis, 1.0),
    jvp=lambda t, y, x, *, axis: v.recurrence(t[0] * _shift_forward(y, axis, 1.0), x, axis=axis),
    flops_back=lambda y, _x, *, asked: 3 * np.size(y) * len(asked),
    counts=True,
)
def _cumprod(x: Any, axis: int) -> Any:
    """The cumulative product along an axis."""
    x = np.asarray(x)
    if x.dtype == np.float16:
        return np.cumprod(x, axis, np.float32).astype(np.float16)
    return np.cumprod(x, axis)


@sections_of(cumsum)
def cumprod(x: Any, axis: int | None = None) -> Tensor:
    """The cumulative product.

    Notes
    -----
    **Gradient.** By a recurrence from the end, without a division: zeros are allowed, to any order.
    **Cost.** ``n`` products forward, ``3n`` operations backward.

    Examples
    --------
    >>> ak.cumprod([2.0, 0.0, 3.0]).numpy()
    array([2., 0., 0.])
    """
    return _cumprod(*_flattened_or_axis(x, axis, "cumprod"))
