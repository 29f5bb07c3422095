"""One-hot encoding: integer labels as vectors of zeros with a one."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.nn.segment.validation import integer_array, segment_count
from autodiff_kit.ops.axes import negative_axis
from autodiff_kit.ops.axis_order import moveaxis
from autodiff_kit.ops.comparison import equal
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.shape_manipulation import expand_dims

__all__ = ["one_hot"]


def one_hot(labels: Any, depth: int, dtype: Any = np.float64, axis: int = -1) -> Tensor:
    """One-hot encoding: 1 at the place of each label along a new axis, and 0 elsewhere. No gradient: None.

    Parameters
    ----------
    labels : array_like of int
        Of any shape. A label below 0, or not below ``depth``, gives zeros only, as in JAX.
    depth : int
        The length of the new axis, the number of classes.
    dtype : dtype, optional
    axis : int, optional
        The place of the new axis in the result.

    Returns
    -------
    Tensor

    Raises
    ------
    DtypeError
        If the labels are no integers.

    Notes
    -----
    **Shapes.** ``(...)`` gives ``(..., depth)``. **Cost.** ``depth`` numbers for each label:
    :func:`sparse_softmax_cross_entropy` takes the labels themselves.

    Examples
    --------
    >>> ak.nn.one_hot([0, 2, -1], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    numbers = as_tensor(integer_array("one_hot", "labels", labels))
    places = np.arange(segment_count("one_hot", "depth", depth))
    place = negative_axis(axis, numbers.ndim + 1, "one_hot")
    return cast(moveaxis(equal(expand_dims(numbers, -1), places), -1, place), dtype)
