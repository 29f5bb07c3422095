"""Joining, splitting, tiling and padding of arrays. All are linear, apart from the constants that padding adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_choice
from autodiff_kit.errors import ArgumentError, DtypeError, RangeError, ShapeError, StructureError
from autodiff_kit.ops.axes import checked_ints, negative_axis
from autodiff_kit.ops.families import general, linear
from autodiff_kit.ops.indexing import take
from autodiff_kit.ops.shape_manipulation import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_to,
    expand_dims,
    ravel,
    reshape,
)


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


def vstack(arrays: Any) -> Tensor:
    """Concatenate vertically: along the first axis; a vector counts as a row.

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
    >>> ak.vstack([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return concat([atleast_2d(x) for x in _checked_tensors(arrays, "vstack")], 0)


def dstack(arrays: Any) -> Tensor:
    """Concatenate along the third axis; for values with fewer axes see :func:`atleast_3d`.

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
    >>> ak.dstack([[1.0], [2.0]]).tolist()
    [[[1.0, 2.0]]]
    """
    return concat([atleast_3d(x) for x in _checked_tensors(arrays, "dstack")], 2)


def column_stack(arrays: Any) -> Tensor:
    """Stack vectors as columns of a matrix; matrices are concatenated along their second axis.

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


# -------------------------------------------------------------------------------- splitting
def split(x: Any, sections: Any, axis: int = 0) -> list[Tensor]:
    """Split into equal parts, or before the given positions.

    Parameters
    ----------
    x : Tensor or array_like
    sections : int or sequence of int
        The number of parts, or the positions before which to split.
    axis : int, optional

    Returns
    -------
    list of Tensor

    Raises
    ------
    ShapeError
        If the parts would have unequal lengths; :func:`array_split` allows that.

    Examples
    --------
    >>> [part.tolist() for part in ak.split([1.0, 2.0, 3.0], [1])]
    [[1.0], [2.0, 3.0]]
    """
    t = as_tensor(x)
    n = t.shape[negative_axis(axis, t.ndim, "split")]
    count = checked_ints(sections, "split")[0] if _is_count(sections) else 1
    if count > 0 and n % count:
        raise ShapeError(f"split: {n} entries cannot be split into {count} equal parts; use array_split")
    return array_split(t, sections, axis)


def array_split(x: Any, sections: Any, axis: int = 0) -> list[Tensor]:
    """Split into nearly equal parts, the longer ones first, or before the given positions.

    Parameters
    ----------
    x : Tensor or array_like
    sections : int or sequence of int
        The number of parts, or the positions before which to split.
    axis : int, optional

    Returns
    -------
    list of Tensor

    Raises
    ------
    StructureError
        If the number of parts is below 1.

    Notes
    -----
    **Gradient.** Joined again.

    Examples
    --------
    >>> [part.tolist() for part in ak.array_split([1.0, 2.0, 3.0], 2)]
    [[1.0, 2.0], [3.0]]
    """
    t = as_tensor(x)
    place = negative_axis(axis, t.ndim, "split") + t.ndim
    parts = checked_ints(sections, "split")
    if _is_count(sections) and not 0 < parts[0] < 1 << 31:
        raise StructureError(f"split: the number of parts must be 1 or more, got {sections}")
    cuts = np.array_split(np.arange(t.shape[place]), parts[0] if _is_count(sections) else parts)
    before = (slice(None),) * place
    return [t[(*before, slice(int(c[0]), int(c[-1]) + 1) if len(c) else slice(0, 0))] for c in cuts]


def _is_count(sections: Any) -> bool:
    """Whether the argument is a number of parts rather than a list of positions."""
    return not isinstance(sections, (tuple, list, range)) and np.ndim(unwrap(sections)) == 0


def hsplit(x: Any, sections: Any) -> list[Tensor]:
    """Split along the second axis; a vector along its only axis.

    Parameters
    ----------
    x : Tensor or array_like
    sections : int or sequence of int
        The number of parts, or the positions before which to split.

    Returns
    -------
    list of Tensor

    Raises
    ------
    ShapeError
        If there are too few axes, or the parts would not be equal.

    Notes
    -----
    **Gradient.** Joined again.

    Examples
    --------
    >>> [part.shape for part in ak.hsplit(np.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    t = as_tensor(x)
    return split(t, sections, 1 if t.ndim > 1 else 0)


def vsplit(x: Any, sections: Any) -> list[Tensor]:
    """Split along the first axis.

    Parameters
    ----------
    x : Tensor or array_like
    sections : int or sequence of int
        The number of parts, or the positions before which to split.

    Returns
    -------
    list of Tensor

    Raises
    ------
    ShapeError
        If there are too few axes, or the parts would not be equal.

    Notes
    -----
    **Gradient.** Joined again.

    Examples
    --------
    >>> [part.shape for part in ak.vsplit(np.ones((4, 3)), 2)]
    [(2, 3), (2, 3)]
    """
    t = as_tensor(x)
    if t.ndim < 2:
        raise ShapeError(f"vsplit needs two axes or more, got shape {t.shape}")
    return split(t, sections, 0)


def dsplit(x: Any, sections: Any) -> list[Tensor]:
    """Split along the third axis.

    Parameters
    ----------
    x : Tensor or array_like
    sections : int or sequence of int
        The number of parts, or the positions before which to split.

    Returns
    -------
    list of Tensor

    Raises
    ------
    ShapeError
        If there are too few axes, or the parts would not be equal.

    Notes
    -----
    **Gradient.** Joined again.

    Examples
    --------
    >>> [part.shape for part in ak.dsplit(np.ones((1, 1, 4)), 2)]
    [(1, 1, 2), (1, 1, 2)]
    """
    return split(x, sections, 2)


def unstack(x: Any, axis: int = 0) -> tuple[Tensor, ...]:
    """The members of a stack along an axis.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int, optional

    Returns
    -------
    tuple of Tensor

    Notes
    -----
    **Cost.** The gradient of a member is as large as what it was taken from. A long stack that a tape follows is
    therefore halved until its parts are short; the gradient of n members takes ``n * log(n)`` steps in place of
    ``n**2``.

    Examples
    --------
    >>> [row.tolist() for row in ak.unstack([[1.0, 2.0], [3.0, 4.0]])]
    [[1.0, 2.0], [3.0, 4.0]]
    """
    t = as_tensor(x)
    place = negative_axis(axis, t.ndim, "unstack") + t.ndim
    return tuple(_members(t, (slice(None),) * place))


def _members(t: Tensor, before: tuple[slice, ...]) -> Iterator[Tensor]:
    n = t.shape[len(before)]
    if t.node is None or n <= _SHORT_STACK:
        yield from (t[(*before, k)] for k in range(n))
    else:
        for half in (slice(None, n // 2), slice(n // 2, None)):
            yield from _members(t[(*before, half)], before)


_SHORT_STACK = 8


# -------------------------------------------------------------------------------- tiling
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


# -------------------------------------------------------------------------------- padding
def _without_margin(shape: tuple[int, ...], width: tuple[tuple[int, int], ...]) -> tuple[Any, ...]:
    """The index of the entries inside a margin."""
    return (Ellipsis, *(slice(a, n - b) for n, (a, b) in zip(shape[len(shape) - len(width) :], width, strict=True)))


@general(
    lambda g, _y, _x, *, width, fill: g[_without_margin(np.shape(g), width)],
    jvp=lambda t, _y, _x, *, width, fill: v.frame(t[0], width=width, fill=0),
)
def _frame(x: Any, width: tuple[tuple[int, int], ...], fill: Any) -> Any:
    """Pad the last axes with a constant."""
    x = np.asarray(x)
    lead = x.ndim - len(width)
    if np.ndim(fill):
        fill = ((0, 0),) * lead + tuple(map(tuple, fill))
    return np.pad(x, ((0, 0),) * lead + width, constant_values=fill)


def _pad_widths(width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """One pair of widths for each axis, from a number, a pair, or pairs."""
    numbers = np.asarray(as_tensor(width)._value)
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise DtypeError(f"pad: widths must be integers, got {numbers.dtype}")
    if numbers.size and numbers.min() < 0:
        raise RangeError(f"pad: widths must be 0 or more, got {width}")
    try:
        pairs = np.broadcast_to(numbers, (ndim, 2)).astype(int)
    except ValueError as error:
        raise ShapeError(f"pad: widths must be a number, a pair, or {ndim} pairs, got {width}") from error
    return tuple((int(a), int(b)) for a, b in pairs)


def _fill_values(fill: Any, ndim: int) -> tuple[tuple[Any, ...], ...]:
    """One pair of fill values for each axis."""
    try:
        return tuple(map(tuple, np.broadcast_to(fill, (ndim, 2)).tolist()))
    except ValueError as error:
        raise ShapeError(f"pad: {np.shape(fill)} values do not fit {ndim} axes with two ends each") from error


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Tensor:
    """Pad an array along its axes.

    Parameters
    ----------
    x : Tensor or array_like
    pad_width : int, pair of int, or a pair for each axis
        Entries before and after.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}, optional
        The source of the entries in the margin.
    constant_values : float, pair, or a pair for each axis, optional
        For mode "constant".

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If the mode is not one of the five.
    RangeError
        If a width is negative.

    Notes
    -----
    **Gradient.** Entries that are copied into the margin get the sum over their copies.

    Examples
    --------
    >>> ak.pad([1.0, 2.0, 3.0], (2, 1), mode="reflect").numpy()
    array([3., 2., 1., 2., 3., 2.])
    """
    t = as_tensor(x)
    width = _pad_widths(pad_width, t.ndim)
    if not t.ndim:
        return t
    if check_choice("pad: mode", mode, "constant", "edge", "reflect", "symmetric", "wrap") == "constant":
        fill = unwrap(as_tensor(constant_values))
        return _frame(t, width, fill if np.ndim(fill) == 0 else _fill_values(fill, t.ndim))
    for axis, pair in enumerate(width):
        if pair != (0, 0):
            if not t.shape[axis]:
                raise ShapeError(
                    f"pad: axis {axis} is empty, so there are no entries to copy into the margin; use mode 'constant'"
                )
            places: Any = np.pad(np.arange(t.shape[axis]), pair, mode=mode)  # type: ignore[call-overload]
            t = take(t, places, axis)
    return t
