"""The order of the axes: permutations, transposes, moved axes. All are linear, and the result is a view.

Gradients must work with extra leading axes (a whole Jacobian in one pass). Therefore the public functions convert axes
to negative numbers, and the operations count from the end.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.axes import checked_int, checked_ints, negative_axis
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import linear


@lru_cache(maxsize=256)
def _inverse_permutation(axes: tuple[int, ...]) -> tuple[int, ...]:
    places = {a: k - len(axes) for k, a in enumerate(axes)}
    return tuple([places[a] for a in range(-len(axes), 0)])


@linear(
    lambda g, _y, _x, *, axes: v.permute_dims(g, axes=_inverse_permutation(axes)),
    prepare=lambda x, axes=None: {"axes": _checked_permutation(x.ndim, axes)},
)
def permute_dims(x: Any, axes: Any = None) -> Any:
    """Permute the axes.

    Parameters
    ----------
    x : Tensor or array_like
    axes : tuple of int, optional
        The old axis for each new one; by default the axes in reverse order.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the axes are no permutation.

    Notes
    -----
    **Gradient.** Permuted back. **Cost.** None: the result is a view.

    Examples
    --------
    >>> ak.permute_dims(np.ones((2, 3, 4)), (0, 2, 1)).shape
    (2, 4, 3)
    """
    if type(x) is np.ndarray:
        return x.transpose(_order_of_all_axes(x.ndim, axes))
    return np.transpose(x, _order_of_all_axes(np.ndim(x), axes))


@lru_cache(maxsize=256)
def _order_of_all_axes(ndim: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    return (*range(ndim - len(axes)), *[ndim + a for a in axes])


def _checked_permutation(ndim: int, axes: Any) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(-1, -ndim - 1, -1))
    if type(axes) is not tuple or set(map(type, axes)) != {int}:
        axes = checked_ints(axes, "permute_dims, axes")
    return _negative_permutation(ndim, axes)


@lru_cache(maxsize=256)
def _negative_permutation(ndim: int, axes: tuple[int, ...]) -> tuple[int, ...]:
    found = tuple([negative_axis(a, ndim, "permute_dims") for a in axes])
    if sorted(found) != list(range(-ndim, 0)):
        raise ShapeError(
            f"permute_dims (transpose): axes {axes} are not a permutation of {ndim} axes; name each axis once, as in "
            f"{tuple(range(ndim))[::-1]}"
        )
    return found


@sections_of(permute_dims)
def transpose(x: Any, axes: Any = None) -> Tensor:
    """Permute the axes: NumPy's name of :func:`permute_dims`.

    Examples
    --------
    >>> ak.transpose(np.ones((2, 3, 4)), (0, 2, 1)).shape
    (2, 4, 3)
    """
    return permute_dims(x, axes)


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Swap two axes.

    Parameters
    ----------
    x : Tensor or array_like
    axis1, axis2 : int
        Negative ones count from the end.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> ak.swapaxes(np.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    t = as_tensor(x)
    a, b = negative_axis(axis1, t.ndim, "swapaxes"), negative_axis(axis2, t.ndim, "swapaxes")
    order = list(range(-t.ndim, 0))
    order[a], order[b] = order[b], order[a]
    return permute_dims(t, tuple(order))


def matrix_transpose(x: Any) -> Tensor:
    """Transpose the last two axes.

    Parameters
    ----------
    x : Tensor or array_like
        A matrix, or a stack of matrices.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If there are fewer than two axes.

    Examples
    --------
    >>> ak.matrix_transpose(np.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    return swapaxes(x, -1, -2)


def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """Move axes to other positions; the others keep their order.

    Parameters
    ----------
    x : Tensor or array_like
    source : int or sequence of int
    destination : int or sequence of int
        The same number of positions as ``source``, each once.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If an axis is out of range or named twice, or the numbers of axes are not equal.

    Examples
    --------
    >>> ak.moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    t = as_tensor(x)
    left, right = ([negative_axis(k, t.ndim, "moveaxis") + t.ndim for k in checked_ints(axes, "moveaxis")]
                   for axes in (source, destination))  # fmt: skip
    if len(left) != len(right) or len(set(left)) < len(left) or len(set(right)) < len(right):
        raise ShapeError(
            f"moveaxis: source {source} and destination {destination} must name equally many different axes"
        )
    order = [k for k in range(t.ndim) if k not in left]
    for place, axis in sorted(zip(right, left, strict=True)):
        order.insert(place, axis)
    return permute_dims(t, order)


def rollaxis(x: Any, axis: int, start: int = 0) -> Tensor:
    """Move one axis back until it is before another; see also :func:`moveaxis`.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int
    start : int, optional
        The position before which the axis comes to stand.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If a position is out of range.

    Notes
    -----
    **Gradient.** Moved back.

    Examples
    --------
    >>> ak.rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    t = as_tensor(x)
    place = negative_axis(axis, t.ndim, "rollaxis") + t.ndim
    if not -t.ndim <= checked_int(start, "rollaxis") <= t.ndim:
        raise ShapeError(f"rollaxis: start {start} is out of range for a value with {t.ndim} axes")
    end = start + t.ndim if start < 0 else start
    return moveaxis(t, place, end - 1 if place < end else end)
