"""Sampled functions: differences, integrals, interpolation, convolution, polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import check_choice, check_number
from autodiff_kit.errors import RangeError, ShapeError
from autodiff_kit.ops.axes import checked_int, first_entry_shape, negative_axis, slice_along
from autodiff_kit.ops.joining import concat, pad
from autodiff_kit.ops.matrix_products import matmul
from autodiff_kit.ops.promotion import as_floating
from autodiff_kit.ops.shape_manipulation import broadcast_to


def _checked_vector(x: Any, name: str) -> Tensor:
    t = as_tensor(x)
    if t.ndim != 1 or not t.size:
        raise ShapeError(f"{name} takes vectors with at least one entry, got shape {t.shape}")
    return t


def interp(x: Any, xp: Any, fp: Any) -> Tensor:
    """Piecewise linear interpolation between points; outside, the value of the first or last point.

    Parameters
    ----------
    x : Tensor or array_like
    xp : Tensor or array_like
        The x-coordinates of the points, in ascending order.
    fp : Tensor or array_like
        Their values.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the points are not two vectors of the same length.

    Notes
    -----
    **Gradient.** To all three; at a point, the slope of the line after it; outside, 0.

    Examples
    --------
    >>> ak.interp([0.5, 3.0], [0.0, 1.0], [10.0, 20.0]).numpy()
    array([15., 20.])
    """
    t, places, values = as_floating(x), _checked_vector(xp, "interp"), as_floating(_checked_vector(fp, "interp"))
    if places.shape != values.shape:
        raise ShapeError(f"interp: points of shape {places.shape} have values of shape {values.shape}")
    if places.size == 1:
        return values[0] + 0.0 * t
    last = places.size - 2
    k = np.clip(np.searchsorted(as_array(places._value), as_array(t._value), side="right") - 1, 0, last)
    left, right = places[k], places[k + 1]
    inside: Tensor = values[k] + (values[k + 1] - values[k]) * ((t - left) / (right - left))
    raw, ends = as_array(t._value), as_array(places._value)
    inside = v.select(values[0], inside, condition=raw < ends[0])
    return v.select(values[-1], inside, condition=raw >= ends[-1])  # type: ignore[no-any-return]


def slopes(f: Any, spacing: float = 1.0, axis: int | tuple[int, ...] | None = None) -> Any:
    """Slopes of sampled values: central differences inside, one-sided ones at the ends. NumPy's ``gradient``.

    Parameters
    ----------
    f : Tensor or array_like
    spacing : float, optional
        The distance between neighbours.
    axis : int or tuple of int, optional
        By default all; several axes give a tuple of results.

    Returns
    -------
    Tensor or tuple of Tensor

    Raises
    ------
    ShapeError
        If an axis has fewer than two entries.

    Examples
    --------
    >>> ak.slopes([0.0, 1.0, 4.0]).numpy()
    array([1., 2., 3.])
    """
    t, step = as_floating(f), check_number("slopes: spacing", spacing)
    axes = range(t.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found = [_slopes_along_axis(t, negative_axis(k, t.ndim, "slopes"), step) for k in axes]
    return found[0] if len(found) == 1 else tuple(found)


def _slopes_along_axis(t: Tensor, axis: int, step: float) -> Tensor:
    if t.shape[axis] < 2:
        raise ShapeError(f"gradient: axis {axis} of shape {t.shape} has fewer than two entries")

    def part(start: int | None, stop: int | None) -> Any:
        return t[(Ellipsis, slice(start, stop), *(slice(None),) * (-axis - 1))]

    middle = (part(2, None) - part(None, -2)) / (2.0 * step)
    return concat([(part(1, 2) - part(0, 1)) / step, middle, (part(-1, None) - part(-2, -1)) / step], axis)


def convolve(a: Any, b: Any, mode: str = "full") -> Tensor:
    """The convolution of two vectors.

    Parameters
    ----------
    a, b : Tensor or array_like
    mode : {"full", "same", "valid"}, optional
        All positions where the vectors overlap, as many as the longer one has entries, or those of full overlap.

    Returns
    -------
    Tensor

    Notes
    -----
    **Cost.** The product of both lengths.

    Examples
    --------
    >>> ak.convolve([1.0, 2.0, 3.0], [1.0, 1.0]).numpy()
    array([1., 3., 5., 3.])
    """
    check_choice("convolve: mode", mode, "full", "same", "valid")
    long, short = sorted((_checked_vector(a, "convolve"), _checked_vector(b, "convolve")), key=lambda t: -t.size)
    n, m = long.size, short.size
    start, count = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    windows = pad(long, m - 1)[np.arange(start, start + count)[:, None] + np.arange(m)]
    return matmul(windows, short[::-1])


def correlate(a: Any, b: Any, mode: str = "valid") -> Tensor:
    """The cross-correlation of two vectors: their convolution with the second one reversed.

    For the modes see :func:`convolve`.
    """
    first, second = _checked_vector(a, "correlate"), _checked_vector(b, "correlate")
    if first.size < second.size:  # so that "same" is centred as in NumPy
        return convolve(second, first[::-1], mode)[::-1]
    return convolve(first, second[::-1], mode)


def polyval(p: Any, x: Any) -> Tensor:
    """Evaluate a polynomial with the coefficients ``p``, the highest power first, at ``x``."""
    coefficients, t = _checked_vector(p, "polyval"), as_tensor(x)
    y = coefficients[0] + 0 * t
    for k in range(1, coefficients.size):
        y = y * t + coefficients[k]
    return y


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The differences of neighbouring entries along an axis.

    Parameters
    ----------
    x : Tensor or array_like
    n : int, optional
        How many times to take differences; with as many as entries the result is empty.
    axis : int, optional
    prepend, append : array_like, optional
        Entries to put before or behind first; a number counts as one entry.

    Returns
    -------
    Tensor

    Raises
    ------
    RangeError
        If ``n`` is negative.

    Examples
    --------
    >>> ak.diff([1.0, 4.0, 9.0], n=2).numpy()
    array([2.])
    """
    t = as_tensor(x)
    place = negative_axis(axis, t.ndim, "diff")
    if checked_int(n, "diff") < 0:
        raise RangeError(f"diff: n must be 0 or more, got {n}")
    if not n:
        return t
    ends = [
        None if e is None else broadcast_to(e, first_entry_shape(t, place)) if not as_tensor(e).ndim else as_tensor(e)
        for e in (prepend, append)
    ]
    parts = [part for part in (ends[0], t, ends[1]) if part is not None]
    t = concat(parts, place) if len(parts) > 1 else t
    for _ in range(min(n, t.shape[place])):
        after, before = slice_along(t, place, 1, None), slice_along(t, place, None, -1)
        t = after != before if t.dtype == np.bool_ else after - before
    return t


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """The integral along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : Tensor or array_like
    x : Tensor or array_like, optional
        Where the points stand; by default ``dx`` apart.
    dx : float, optional
    axis : int, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> float(ak.trapezoid([1.0, 2.0, 3.0]))
    4.0
    """
    t = as_tensor(y)
    place = negative_axis(axis, t.ndim, "trapezoid")
    width: Any = dx
    if x is not None:
        width = diff(x, axis=place if as_tensor(x).ndim > 1 else -1)
        if as_tensor(x).ndim == 1:
            width = width.reshape((-1, *(1,) * (-place - 1)))
    middle = (slice_along(t, place, 1, None) + slice_along(t, place, None, -1)) * 0.5
    total: Tensor = v.sum(width * middle, axis=(place,), keepdims=False)
    return total
