"""Sampled functions: interpolation, slopes by differences, convolution, polynomials, covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, array, lift
from autodiff_kit.core.validation import flag, number, word
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.joining import concat, pad
from autodiff_kit.ops.matrix_products import matmul
from autodiff_kit.ops.reductions import mean
from autodiff_kit.ops.shape_manipulation import negative_axis
from autodiff_kit.ops.statistics import floating

__all__ = ["convolve", "corrcoef", "correlate", "cov", "interp", "polyval", "slopes"]


def _vector(x: Any, name: str) -> Tensor:
    t = lift(x)
    if t.ndim != 1 or not t.size:
        raise ShapeError(f"{name} takes vectors with entries, not shape {t.shape}")
    return t


def interp(x: Any, xp: Any, fp: Any) -> Tensor:
    """Values between points, along straight lines; outside, those of the first and last point.

    Parameters
    ----------
    x : Tensor or array_like
    xp : Tensor or array_like
        Where the points stand, in rising order.
    fp : Tensor or array_like
        Their values.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the points are not two vectors of one length.

    Notes
    -----
    **Gradient.** To all three; at a point the slope is that of the line behind it, and outside it is 0.

    Examples
    --------
    >>> ak.interp([0.5, 3.0], [0.0, 1.0], [10.0, 20.0]).numpy()
    array([15., 20.])
    """
    t, places, values = floating(x), _vector(xp, "interp"), floating(_vector(fp, "interp"))
    if places.shape != values.shape:
        raise ShapeError(f"interp: points of shape {places.shape} have values of shape {values.shape}")
    if places.size == 1:
        return values[0] + 0.0 * t
    last = places.size - 2
    k = np.clip(np.searchsorted(array(places._value), array(t._value), side="right") - 1, 0, last)
    left, right = places[k], places[k + 1]
    inside: Tensor = values[k] + (values[k + 1] - values[k]) * ((t - left) / (right - left))
    raw, ends = array(t._value), array(places._value)
    inside = v.select(values[0], inside, condition=raw < ends[0])
    return v.select(values[-1], inside, condition=raw >= ends[-1])  # type: ignore[no-any-return]


def slopes(f: Any, spacing: float = 1.0, axis: int | tuple[int, ...] | None = None) -> Any:
    """Slopes of sampled values: central differences inside, one-sided ones at the ends. NumPy's ``gradient``.

    Parameters
    ----------
    f : Tensor or array_like
    spacing : float, optional
        Between neighbours.
    axis : int or tuple of int, optional
        By default all; several give a tuple of answers.

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
    t, step = floating(f), number("slopes: spacing", spacing)
    axes = range(t.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found = [_slopes(t, negative_axis(k, t.ndim, "slopes"), step) for k in axes]
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(t: Tensor, axis: int, step: float) -> Tensor:
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
        All places where the two meet, as many as the longer has entries, or those where they overlap wholly.

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
    word("convolve: mode", mode, "full", "same", "valid")
    long, short = sorted((_vector(a, "convolve"), _vector(b, "convolve")), key=lambda t: -t.size)
    n, m = long.size, short.size
    start, count = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    windows = pad(long, m - 1)[np.arange(start, start + count)[:, None] + np.arange(m)]
    return matmul(windows, short[::-1])


def correlate(a: Any, b: Any, mode: str = "valid") -> Tensor:
    """The convolution with the second vector turned round; for the modes see :func:`convolve`."""
    first, second = _vector(a, "correlate"), _vector(b, "correlate")
    if first.size < second.size:  # so that "same" is centred as NumPy's
        return convolve(second, first[::-1], mode)[::-1]
    return convolve(first, second[::-1], mode)


def polyval(p: Any, x: Any) -> Tensor:
    """The polynomial with the coefficients ``p``, the highest power first, at ``x``."""
    coefficients, t = _vector(p, "polyval"), lift(x)
    y = coefficients[0] + 0 * t
    for k in range(1, coefficients.size):
        y = y * t + coefficients[k]
    return y


def cov(x: Any, rowvar: bool = True, ddof: float = 1) -> Tensor:
    """The covariances of variables.

    Parameters
    ----------
    x : Tensor or array_like
        A row for each variable, a column for each observation.
    rowvar : bool, optional
        False for a column for each variable.
    ddof : float, optional
        What is taken from the number of observations before dividing.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> ak.cov([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).numpy()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    t = floating(x)
    if t.ndim > 2:
        raise ShapeError(f"cov takes a matrix or a vector, not shape {t.shape}")
    rows = t.reshape((1, -1)) if t.ndim < 2 else t if flag("cov: rowvar", rowvar) else t.T
    away = rows - mean(rows, 1, True)
    found = matmul(away, away.T) * float(1.0 / np.float64(max(rows.shape[1] - number("cov: ddof", ddof), 0.0)))
    return found[0, 0] if rows.shape[0] == 1 else found


def corrcoef(x: Any, rowvar: bool = True) -> Tensor:
    """The correlations of variables, between -1 and 1; see :func:`cov`."""
    c = cov(x, rowvar)
    if not c.ndim:
        return c / c
    k = np.arange(c.shape[0])
    spread = c[k, k] ** 0.5
    return c / spread[:, None] / spread
