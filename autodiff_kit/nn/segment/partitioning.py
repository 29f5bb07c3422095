"""Partition rows into parts by id, and stitch parts together: dynamic_partition, dynamic_stitch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn.segment.validation import check_ids, count_from_ids, integer_array, rows_and_ids, segment_count
from autodiff_kit.ops import segment_reductions
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.joining import concat

__all__ = ["dynamic_partition", "dynamic_stitch"]

Array = np.ndarray[Any, Any]


def dynamic_partition(data: Any, partitions: Any, num_partitions: Any) -> list[Tensor]:
    """Partition rows into parts by their ids.

    Parameters
    ----------
    data : Tensor or array_like
        Rows, along the first axis.
    partitions : array_like of int
        Index of the part of each row.
    num_partitions : int
        Number of parts.

    Returns
    -------
    list of Tensor
        The rows of each part, in their original order; a part may be empty.

    Raises
    ------
    RangeError
        If a row's part is negative, or ``num_partitions`` or more.
    ShapeError, DtypeError
        As :func:`segment_sum`.

    Notes
    -----
    **Gradient.** Each row gets the cotangent of its copy in the part.

    Examples
    --------
    >>> parts = ak.segment.dynamic_partition([[1, 2], [3, 4], [5, 6]], [1, 0, 1], 3)
    >>> [p.tolist() for p in parts]
    [[[3, 4]], [[1, 2], [5, 6]], []]
    """
    t, numbers = rows_and_ids("dynamic_partition", "partitions", data, partitions)
    count = segment_count("dynamic_partition", "num_partitions", num_partitions)
    numbers = check_ids("dynamic_partition", "part", numbers, count)
    return [segment_reductions.gather_rows(t, ids=np.flatnonzero(numbers == k), ndim=t.ndim) for k in range(count)]


def dynamic_stitch(indices: Sequence[Any], data: Sequence[Any]) -> Tensor:
    """Stitch parts together, each row at its index: the inverse of :func:`dynamic_partition`.

    Parameters
    ----------
    indices : list of array_like of int
        For each part, the index of each of its rows in the result.
    data : list of Tensor or array_like
        The parts; all rows have one shape.

    Returns
    -------
    Tensor
        The largest index plus one rows. If an index occurs twice, the last row is used; rows without an index are 0.

    Raises
    ------
    StructureError
        If there are no parts, or the numbers of index lists and parts differ.
    RangeError
        If an index is negative.
    ShapeError, DtypeError
        As :func:`segment_sum`, or if the rows of parts differ in shape.

    Notes
    -----
    **Gradient.** Each row gets the cotangent at its index; a row that another one replaced gets 0.

    Examples
    --------
    >>> ak.segment.dynamic_stitch([[2, 0], [1]], [[30.0, 10.0], [20.0]]).numpy()
    array([10., 20., 30.])
    """
    t, numbers = _concatenated_parts(indices, data)
    count = count_from_ids(numbers)
    last = np.full(count, -1)
    last[numbers] = np.arange(numbers.size)  # for equal indices the last assignment wins
    given = np.flatnonzero(last >= 0)
    chosen: Tensor = segment_reductions.gather_rows(t, ids=last[given], ndim=t.ndim)
    if given.size == count:
        return chosen
    spread: Tensor = segment_reductions.segment_sum(chosen, ids=given, count=count, ndim=t.ndim)
    return cast(spread, t.dtype)  # a sum of small integers is wider


def _concatenated_parts(indices: Any, data: Any) -> tuple[Tensor, Array]:
    if not isinstance(indices, (list, tuple)) or not isinstance(data, (list, tuple)):
        raise StructureError("dynamic_stitch: give a list of indices and a list of parts")
    if not data or len(indices) != len(data):
        raise StructureError(f"dynamic_stitch: {len(indices)} lists of indices for {len(data)} parts; give one each")
    pairs = [_checked_part(places, part) for places, part in zip(indices, data, strict=True)]
    shapes = [t.shape[1:] for t, _ in pairs]
    if len(set(shapes)) > 1:
        raise ShapeError(f"dynamic_stitch: the rows of all parts need one shape, got {shapes}")
    return concat([t for t, _ in pairs], 0), np.concatenate([numbers for _, numbers in pairs])


def _checked_part(places: Any, part: Any) -> tuple[Tensor, Array]:
    """One part as rows and ids; a scalar index stands for a single row."""
    numbers = integer_array("dynamic_stitch", "indices", places)
    if not numbers.ndim:
        part, numbers = as_tensor(part)[None], numbers.reshape(1)
    t, numbers = rows_and_ids("dynamic_stitch", "indices", part, numbers)
    return t, check_ids("dynamic_stitch", "index", numbers, count_from_ids(numbers))
