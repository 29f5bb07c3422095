"""Segment reductions: sum, mean, maximum, minimum and product of the rows of each segment."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tensor import Tensor
from autodiff_kit.nn.segment.validation import check_ids, count_from_ids, rows_and_ids, segment_count
from autodiff_kit.ops import segment_reductions
from autodiff_kit.ops.docstrings import sections_of

__all__ = ["segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum"]


def _segment_reduce(name: str, block: Any, data: Any, ids: Any, num_segments: Any) -> Tensor:
    t, numbers = rows_and_ids(name, "ids", data, ids)
    count = count_from_ids(numbers) if num_segments is None else segment_count(name, "num_segments", num_segments)
    numbers = check_ids(name, "id", numbers, count)
    out: Tensor = block(t, ids=numbers, count=count, ndim=t.ndim)
    return out


def segment_sum(data: Any, ids: Any, num_segments: Any = None) -> Tensor:
    """Sum of the rows of each segment.

    Parameters
    ----------
    data : Tensor or array_like
        Rows to group, along the first axis.
    ids : array_like of int
        Segment of each row, in any order.
    num_segments : int, optional
        Rows of the result; by default the largest id plus one.

    Returns
    -------
    Tensor
        Row ``s`` is the sum over the rows whose id is ``s``; 0 where there are none.

    Raises
    ------
    RangeError
        If an id is negative, or ``num_segments`` or more; the message names the first such id and its position.
    ShapeError
        If the shape of the ids is not that of the first axes of the data.
    DtypeError
        If the ids are not integers.

    Notes
    -----
    **Shapes.** ``data (n, ...)`` and ``ids (n,)`` give ``(num_segments, ...)``; ids with more axes cover as many
    leading axes of the data.
    **Dtypes.** As for NumPy's sum; float16 is summed in float32.
    **Gradient.** Each row gets the cotangent of its segment.
    **Cost.** One addition for each entry.

    Examples
    --------
    >>> ak.segment.segment_sum([1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 2, 2, 2]).numpy()
    array([ 3.,  0., 12.])
    """
    return _segment_reduce("segment_sum", segment_reductions.segment_sum, data, ids, num_segments)


@sections_of(segment_sum)
def segment_mean(data: Any, ids: Any, num_segments: Any = None) -> Tensor:
    """Mean of the rows of each segment.

    Returns
    -------
    Tensor
        Row ``s`` is the mean over the rows whose id is ``s``; 0, not 0/0, where there are none.

    Notes
    -----
    **Gradient.** Each of the ``n`` rows of a segment gets 1/n of the segment's cotangent.

    Examples
    --------
    >>> ak.segment.segment_mean([1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1], 3).numpy()
    array([1.5, 4. , 0. ])
    """
    return _segment_reduce("segment_mean", segment_reductions.segment_mean, data, ids, num_segments)


@sections_of(segment_sum)
def segment_max(data: Any, ids: Any, num_segments: Any = None) -> Tensor:
    """Largest entry of each segment.

    Returns
    -------
    Tensor
        Row ``s`` is the maximum over the rows whose id is ``s``; 0 where there are none.

    Notes
    -----
    **Gradient.** Shared evenly among ties.

    Examples
    --------
    >>> ak.segment.segment_max([1.0, 5.0, -2.0], [0, 0, 1]).numpy()
    array([ 5., -2.])
    """
    return _segment_reduce("segment_max", segment_reductions.segment_max, data, ids, num_segments)


@sections_of(segment_max)
def segment_min(data: Any, ids: Any, num_segments: Any = None) -> Tensor:
    """Smallest entry of each segment.

    Returns
    -------
    Tensor
        Row ``s`` is the minimum over the rows whose id is ``s``; 0 where there are none.

    Examples
    --------
    >>> ak.segment.segment_min([1.0, 5.0, -2.0], [0, 0, 1]).numpy()
    array([ 1., -2.])
    """
    return _segment_reduce("segment_min", segment_reductions.segment_min, data, ids, num_segments)


@sections_of(segment_sum)
def segment_prod(data: Any, ids: Any, num_segments: Any = None) -> Tensor:
    """Product of the rows of each segment.

    Returns
    -------
    Tensor
        Row ``s`` is the product over the rows whose id is ``s``; 1 where there are none.

    Notes
    -----
    **Gradient.** The product of the other rows, computed without division, so that zeros are safe at any order.
    **Cost.** Backward about four multiplications for each entry and each doubling of the longest segment.

    Examples
    --------
    >>> ak.segment.segment_prod([2.0, 0.0, 3.0], [0, 1, 1]).numpy()
    array([2., 0.])
    """
    return _segment_reduce("segment_prod", segment_reductions.segment_prod, data, ids, num_segments)
