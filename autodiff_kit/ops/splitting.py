"""Splitting of arrays along an axis: each part is read by an index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.ops.axes import checked_ints, negative_axis
from autodiff_kit.ops.docstrings import sections_of


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
    StructureError
        If the number of parts is below 1.

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


@sections_of(split)
def array_split(x: Any, sections: Any, axis: int = 0) -> list[Tensor]:
    """Split into nearly equal parts, the longer ones first, or before the given positions.

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
    starts = _equal_starts(t.shape[place], parts[0]) if _is_count(sections) else (0, *parts)
    before = (slice(None),) * place
    return [t[(*before, slice(start, stop))] for start, stop in zip(starts, (*starts[1:], None), strict=True)]


def _equal_starts(n: int, count: int) -> tuple[int, ...]:
    """Where parts begin whose lengths differ by one at most, the longer ones first."""
    size, longer = divmod(n, count)
    return tuple([k * size + min(k, longer) for k in range(count)])


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


@sections_of(hsplit)
def vsplit(x: Any, sections: Any) -> list[Tensor]:
    """Split along the first axis.

    Examples
    --------
    >>> [part.shape for part in ak.vsplit(np.ones((4, 3)), 2)]
    [(2, 3), (2, 3)]
    """
    t = as_tensor(x)
    if t.ndim < 2:
        raise ShapeError(f"vsplit needs two axes or more, got shape {t.shape}")
    return split(t, sections, 0)


@sections_of(hsplit)
def dsplit(x: Any, sections: Any) -> list[Tensor]:
    """Split along the third axis.

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
    if t.node is not None and n > _SHORT_STACK:
        for half in (slice(None, n // 2), slice(n // 2, None)):
            yield from _members(t[(*before, half)], before)
    else:
        yield from (t[(*before, k)] for k in range(n))


_SHORT_STACK = 8
