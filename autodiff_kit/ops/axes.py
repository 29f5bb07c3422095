"""Checks of axes, shapes and integer arguments, and their normalization to axes counted from the end."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.validation import check_flag, describe
from autodiff_kit.errors import ArgumentError, AutodiffError, ConcretizationError, RangeError, ShapeError

_LARGEST_SIZE = 1 << 48  # entries; more than fit into memory


def checked_int(number: Any, name: str, bounded: bool = True) -> int:
    """An integer argument as int; raises if it is not an integer, or larger than any array where it is ``bounded``."""
    if type(number) is int and -_LARGEST_SIZE < number < _LARGEST_SIZE:
        return number
    try:
        found = operator.index(unwrap(number))
        if bounded and not -_LARGEST_SIZE < found < _LARGEST_SIZE:
            raise RangeError(f"{name}: {found} is larger than any array")
        return found
    except ConcretizationError as error:  # an integer, but without its number yet
        raise ConcretizationError(f"{name}: {error}") from error
    except TypeError as error:
        raise ArgumentError(f"{name}: expected an integer, got {describe(number)}") from error


def checked_ints(numbers: Any, name: str, bounded: bool = True) -> tuple[int, ...]:
    """One integer or a sequence of integers as a tuple of int; raises as :func:`checked_int` does for each."""
    if type(numbers) is int:
        return (checked_int(numbers, name, bounded),)
    if type(numbers) is tuple:
        return tuple([checked_int(n, name, bounded) for n in numbers])
    try:
        return tuple([checked_int(n, name, bounded) for n in ([numbers] if np.ndim(numbers) == 0 else numbers)])
    except AutodiffError:
        raise
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: expected integers, got {describe(numbers)}") from error


def negative_axis(axis: Any, ndim: int, name: str) -> int:
    """An axis counted from the end; raises where it is out of range."""
    k = axis if type(axis) is int and -ndim <= axis < ndim else checked_int(axis, f"{name}, axis")
    if not -ndim <= k < ndim:
        known = f"valid axes are {-ndim} to {ndim - 1}" if ndim else "a single number has none"
        raise ShapeError(f"{name}: axis {axis} is out of range for a value with {ndim} axes; {known}")
    return k if k < 0 else k - ndim


def trailing_shape(like: Any, ndim: int | None) -> tuple[int, ...]:
    """The shape without the leading axes that a Jacobian in one pass adds in front."""
    shape: tuple[int, ...] = like.shape
    return shape if ndim is None else shape[len(shape) - ndim :]


Axis = int | tuple[int, ...] | None


def normalize_axes(name: str, x: Any, axis: Axis = None, keepdims: bool = False) -> dict[str, Any]:
    """The axes of a reduction as negative numbers, so that extra axes in front change nothing."""
    n = x.ndim
    if axis is None or (not n and type(axis) is int and axis in (0, -1)):  # NumPy accepts these axes for a number
        found = _ALL_AXES[n] if n < len(_ALL_AXES) else tuple(range(-n, 0))
    else:
        found = tuple([negative_axis(a, n, name) for a in checked_ints(axis, f"{name}, axis")])
        if len(set(found)) < len(found):
            raise ShapeError(f"{name}: axis {axis} names one axis twice")
    return {"axis": found, "keepdims": check_flag("keepdims", keepdims)}


def axes_of(name: str) -> Callable[..., dict[str, Any]]:
    """What prepares the parameters of the reduction ``name``; an error names it."""

    def prepare(x: Any, axis: Axis = None, keepdims: bool = False) -> dict[str, Any]:
        n = x.ndim
        if type(axis) is int and -n <= axis < n and type(keepdims) is bool:  # most reductions
            return {"axis": (axis if axis < 0 else axis - n,), "keepdims": keepdims}
        return normalize_axes(name, x, axis, keepdims)

    return prepare


_ALL_AXES = [tuple(range(-n, 0)) for n in range(8)]


def reduced_size(like: Any, axis: tuple[int, ...] | None) -> int:
    """The number of entries that a reduction combines into one."""
    shape = like.shape
    return math.prod(shape if axis is None or len(axis) == len(shape) else [shape[a] for a in axis])


def restore_axes(g: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """A reduced value with its axes of length 1 inserted again, so that it broadcasts."""
    if keepdims or not axis:
        return g
    if type(g) is np.ndarray and len(axis) == 1:  # some times as fast as reshaping
        return g[(..., None) + (slice(None),) * (-axis[0] - 1)]
    return v.expand_dims(g, axis=axis)


def swap_last_axes(x: Any) -> Any:
    """The transpose of each matrix in a stack."""
    if type(x) is np.ndarray:
        return x.T if x.ndim == 2 else x.swapaxes(-1, -2)
    n = np.ndim(x)
    return v.permute_dims(x, axes=(*range(-n, -2), -1, -2))


def slice_along(x: Any, axis: int, start: int | None, stop: int | None, step: int = 1) -> Any:
    """A slice along one axis, which is counted from the end."""
    return x[(Ellipsis, slice(start, stop, step), *(slice(None),) * (-axis - 1))]


def first_entry_shape(t: Tensor, axis: int) -> tuple[int, ...]:
    """The shape with length 1 along one axis."""
    return tuple(1 if k == axis else t.shape[k] for k in range(-t.ndim, 0))


def is_array_index(part: Any) -> bool:
    """Whether a part of an index is an array or a mask."""
    if part is None or part is Ellipsis or isinstance(part, (slice, np.integer)):
        return False
    return not isinstance(part, int) or isinstance(part, bool)  # True and False are masks
