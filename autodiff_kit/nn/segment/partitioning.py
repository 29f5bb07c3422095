"""Rows dealt out to parts, and parts put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, lift
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn.segment.validation import checked, count_of, needed_for, rows, whole
from autodiff_kit.ops import segments
from autodiff_kit.ops.joining import concat

__all__ = ["dynamic_partition", "dynamic_stitch"]

Array = np.ndarray[Any, Any]


def dynamic_partition(data: Any, partitions: Any, num_partitions: Any) -> list[Tensor]:
    """Rows dealt out to parts.

    Parameters
    ----------
    data : Tensor or array_like
        Rows, along the first axis.
    partitions : array_like of int
        Part of each row.
    num_partitions : int
        Number of parts.

    Returns
    -------
    list of Tensor
        The rows of each part, in their order; a part may be empty.

    Raises
    ------
    RangeError
        If a row's part is negative, or ``num_partitions`` or more.
    ShapeError, DtypeError
        As :func:`segment_sum`.

    Notes
    -----
    **Gradient.** Each row gets that of the place to which it went.

    Examples
    --------
    >>> parts = ak.segment.dynamic_partition([[1, 2], [3, 4], [5, 6]], [1, 0, 1], 3)
    >>> [p.tolist() for p in parts]
    [[[3, 4]], [[1, 2], [5, 6]], []]
    """
    t, numbers = rows("dynamic_partition", "partitions", data, partitions)
    count = count_of("dynamic_partition", "num_partitions", num_partitions)
    numbers = checked("dynamic_partition", "part", numbers, count)
    return [segments.gather_rows(t, ids=np.flatnonzero(numbers == k), ndim=t.ndim) for k in range(count)]


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any]) -> Tensor:
    """Parts put together, each row at its index: the inverse of :func:`dynamic_partition`.

    Parameters
    ----------
    indices : list of array_like of int
        For each part, the place of each of its rows in the result.
    data : list of Tensor or array_like
        The parts; all rows have one shape.

    Returns
    -------
    Tensor
        As many rows as the largest index plus one. Where an index occurs twice, the last row stands; where none
        does, 0.

    Raises
    ------
    StructureError
        If there are no parts, or not as many indices as parts.
    RangeError
        If an index is negative.
    ShapeError, DtypeError
        As :func:`segment_sum`, or if the rows of parts differ in shape.

    Notes
    -----
    **Gradient.** Each row gets that of its place; a row that another replaced gets 0.

    Examples
    --------
    >>> ak.segment.dynamic_stitch([[2, 0], [1]], [[30.0, 10.0], [20.0]]).numpy()
    array([10., 20., 30.])
    """
    t, numbers = _parts(indices, data)
    count = needed_for(numbers)
    last = np.full(count, -1)
    last[numbers] = np.arange(numbers.size)  # of equal indices the last assignment stands
    given = np.flatnonzero(last >= 0)
    chosen: Tensor = segments.gather_rows(t, ids=last[given], ndim=t.ndim)
    if given.size == count:
        return chosen
    spread: Tensor = segments.segment_sum(chosen, ids=given, count=count, ndim=t.ndim)
    return spread


def _parts(indices: Any, data: Any) -> tuple[Tensor, Array]:
    if not isinstance(indices, (list, tuple)) or not isinstance(data, (list, tuple)):
        raise StructureError("dynamic_stitch: give a list of indices and a list of parts")
    if not data or len(indices) != len(data):
        raise StructureError(f"dynamic_stitch: {len(indices)} lists of indices for {len(data)} parts; give one each")
    pairs = [_part(places, part) for places, part in zip(indices, data, strict=True)]
    shapes = [t.shape[1:] for t, _ in pairs]
    if len(set(shapes)) > 1:
        raise ShapeError(f"dynamic_stitch: the rows of all parts need one shape, got {shapes}")
    return concat([t for t, _ in pairs], 0), np.concatenate([numbers for _, numbers in pairs])


def _part(places: Any, part: Any) -> tuple[Tensor, Array]:
    """One row may be given by a number alone."""
    numbers = whole("dynamic_stitch", "indices", places)
    if not numbers.ndim:
        part, numbers = lift(part)[None], numbers.reshape(1)
    t, numbers = rows("dynamic_stitch", "indices", part, numbers)
    return t, checked("dynamic_stitch", "index", numbers, needed_for(numbers))
