"""Repetition of arrays and of their entries. The gradient of an entry is the sum over its copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import RangeError, ShapeError
from autodiff_kit.ops.axes import checked_ints, negative_axis
from autodiff_kit.ops.broadcasting import broadcast_to
from autodiff_kit.ops.indexing import take
from autodiff_kit.ops.shape_manipulation import expand_dims, ravel, reshape


def tile(x: Any, repetitions: Any) -> Tensor:
    """Repeat an array along its axes.

    Parameters
    ----------
    x : Tensor or array_like
    repetitions : int or sequence of int
        The number of repetitions along each axis, the last ones if there are fewer; 0 gives an empty array.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The sum over the copies.

    Examples
    --------
    >>> ak.tile([1.0, 2.0], (2, 2)).numpy()
    array([[1., 2., 1., 2.],
           [1., 2., 1., 2.]])
    """
    t, times = as_tensor(x), checked_ints(repetitions, "tile")
    if any(n < 0 for n in times):
        raise RangeError(f"tile: repetitions must be 0 or more, got {repetitions}")
    n = max(t.ndim, len(times))
    times = (1,) * (n - len(times)) + times
    shape = (1,) * (n - t.ndim) + t.shape
    if set(times) <= {1}:
        return reshape(t, shape)
    pairs = reshape(t, [k for length in shape for k in (1, length)])
    wide = broadcast_to(pairs, [k for pair in zip(times, shape, strict=True) for k in pair])
    return reshape(wide, [a * b for a, b in zip(times, shape, strict=True)])


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Repeat each entry, row or column.

    Parameters
    ----------
    x : Tensor or array_like
    repeats : int or sequence of int
        The number of repetitions of each entry, or one number for each.
    axis : int, optional
        By default all entries as one vector.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The sum over the copies.

    Examples
    --------
    >>> ak.repeat([1.0, 2.0], [1, 2]).numpy()
    array([1., 2., 2.])
    """
    t = as_tensor(x) if axis is not None else ravel(x)
    place = negative_axis(-1 if axis is None else axis, t.ndim, "repeat") + t.ndim
    times, n = checked_ints(repeats, "repeat"), t.shape[place]
    if len(times) not in (1, n) or any(k < 0 for k in times):
        raise ShapeError(f"repeat: expected one number of repeats, or {n}, each 0 or more, got {repeats}")
    if len(times) != 1:
        return take(t, np.repeat(np.arange(n), times), place)
    shape = list(t.shape)
    wide = broadcast_to(expand_dims(t, place + 1), [*shape[: place + 1], times[0], *shape[place + 1 :]])
    return reshape(wide, [*shape[:place], n * times[0], *shape[place + 1 :]])
