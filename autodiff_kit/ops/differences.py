"""Differences of neighbouring entries along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import RangeError, ShapeError
from autodiff_kit.ops.axes import checked_int, first_entry_shape, negative_axis, slice_along
from autodiff_kit.ops.broadcasting import broadcast_to
from autodiff_kit.ops.joining import concat
from autodiff_kit.ops.number_parameters import check_number
from autodiff_kit.ops.promotion import as_floating


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
        raise ShapeError(f"slopes: axis {axis} of shape {t.shape} has fewer than two entries")

    def part(start: int | None, stop: int | None) -> Any:
        return t[(Ellipsis, slice(start, stop), *(slice(None),) * (-axis - 1))]

    middle = (part(2, None) - part(None, -2)) / (2.0 * step)
    return concat([(part(1, 2) - part(0, 1)) / step, middle, (part(-1, None) - part(-2, -1)) / step], axis)
