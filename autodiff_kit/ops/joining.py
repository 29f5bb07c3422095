"""Joining of arrays along an axis that they have, or along a new one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import ArgumentError
from autodiff_kit.ops.axes import negative_axis
from autodiff_kit.ops.broadcasting import atleast_1d, atleast_2d, atleast_3d
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import linear
from autodiff_kit.ops.shape_manipulation import ravel, reshape


def _split_along(g: Any, lengths: Sequence[int], axis: int) -> list[Any]:
    """The pieces of an array along an axis, of the given lengths."""
    ends = np.cumsum([0, *lengths])
    tail = (slice(None),) * (-axis - 1)
    return [g[(Ellipsis, slice(int(a), int(b)), *tail)] for a, b in pairwise(ends)]


@linear(
    lambda g, _y, *_xs, axis: _split_along(g, [np.shape(x)[axis] for x in _xs], axis),
    prepare=lambda arrays, axis: {"axis": negative_axis(axis, arrays[0].ndim, "concat")},
)
def _concat(arrays: Any, axis: int) -> Any:
    """Concatenate arrays along an axis."""
    return np.concatenate(arrays, axis)


def concat(arrays: Any, axis: int | None = 0) -> Tensor:
    """Concatenate arrays along an existing axis.

    Parameters
    ----------
    arrays : sequence of Tensor or array_like
        Their shapes may differ only in the length of the axis.
    axis : int or None, optional
        None joins all entries into one vector.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the shapes differ elsewhere, or the list is empty.

    Examples
    --------
    >>> ak.concat([[1.0, 2.0], [3.0]]).numpy()
    array([1., 2., 3.])
    """
    return _concat([ravel(x) for x in _checked_tensors(arrays, "concat")], 0) if axis is None else _concat(arrays, axis)


def _checked_tensors(arrays: Any, name: str) -> list[Tensor]:
    """The members of a list as tensors; raises if it is not a list."""
    try:
        return [as_tensor(x) for x in arrays]
    except TypeError as error:
        raise ArgumentError(f"{name}: expected a list of arrays, got {type(arrays).__name__}") from error


@linear(
    lambda g, _y, *_xs, axis: [g[(Ellipsis, k, *(slice(None),) * (-axis - 1))] for k in range(len(_xs))],
    prepare=lambda arrays, axis=0: {"axis": negative_axis(axis, arrays[0].ndim + 1, "stack")},
)
def stack(arrays: Any, axis: int = 0) -> Any:
    """Stack arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of Tensor or array_like
    axis : int, optional
        The position of the new axis in the result.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the shapes differ, or there is no array.

    Notes
    -----
    **Gradient.** Each array gets its part.

    Examples
    --------
    >>> ak.stack([[1.0, 2.0], [3.0, 4.0]], axis=1).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    return np.stack(arrays, axis)


def hstack(arrays: Any) -> Tensor:
    """Concatenate horizontally: along the second axis; vectors along their only axis.

    Parameters
    ----------
    arrays : sequence of Tensor or array_like

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the shapes do not fit, or there is no array.

    Notes
    -----
    **Gradient.** Each array gets its part.

    Examples
    --------
    >>> ak.hstack([[1.0], [2.0, 3.0]]).tolist()
    [1.0, 2.0, 3.0]
    """
    parts = [atleast_1d(x) for x in _checked_tensors(arrays, "hstack")]
    return concat(parts, 0 if parts and parts[0].ndim == 1 else 1)


@sections_of(hstack)
def vstack(arrays: Any) -> Tensor:
    """Concatenate vertically: along the first axis; a vector counts as a row.

    Examples
    --------
    >>> ak.vstack([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return concat([atleast_2d(x) for x in _checked_tensors(arrays, "vstack")], 0)


@sections_of(hstack)
def dstack(arrays: Any) -> Tensor:
    """Concatenate along the third axis; for values with fewer axes see :func:`atleast_3d`.

    Examples
    --------
    >>> ak.dstack([[1.0], [2.0]]).tolist()
    [[[1.0, 2.0]]]
    """
    return concat([atleast_3d(x) for x in _checked_tensors(arrays, "dstack")], 2)


@sections_of(hstack)
def column_stack(arrays: Any) -> Tensor:
    """Stack vectors as columns of a matrix; matrices are concatenated along their second axis.

    Examples
    --------
    >>> ak.column_stack([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    parts = _checked_tensors(arrays, "column_stack")
    return concat([x if x.ndim > 1 else reshape(x, (-1, 1)) for x in parts], 1)


def append(x: Any, values: Any, axis: int | None = None) -> Tensor:
    """Append values along an axis.

    Parameters
    ----------
    x, values : Tensor or array_like
    axis : int, optional
        By default both are flattened.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the shapes do not fit.

    Notes
    -----
    **Gradient.** Each array gets its part.

    Examples
    --------
    >>> ak.append([1.0], [2.0, 3.0]).tolist()
    [1.0, 2.0, 3.0]
    """
    return concat([x, values], axis)
