"""Small functions that layers are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, lift, plain
from autodiff_kit.errors import DtypeError, RangeError, ShapeError
from autodiff_kit.ops.reduce import mean

__all__ = ["embedding", "moments"]


def embedding(table: Any, ids: Any) -> Tensor:
    """Rows of a table by their number.

    Parameters
    ----------
    table : Tensor, Variable or array_like
        Of shape ``(n, k)``.
    ids : array_like of int
        Of any shape ``(...)``, from 0 to n - 1; unlike an index, a negative id is an error.

    Returns
    -------
    Tensor
        Of shape ``(..., k)``.

    Raises
    ------
    RangeError
        If an id is outside the table; the first such id and its place are named.

    Notes
    -----
    **Gradient.** Rows that were asked for more than once add up.

    Examples
    --------
    >>> ak.nn.embedding([[1.0, 2.0], [3.0, 4.0]], [1, 1, 0]).numpy()
    array([[3., 4.],
           [3., 4.],
           [1., 2.]])
    """
    rows, numbers = lift(table), np.asarray(plain(ids))
    if numbers.dtype.kind not in "iu":
        raise DtypeError(f"embedding: ids are whole numbers, got {numbers.dtype}")
    if not rows.ndim:
        raise ShapeError("embedding: the table is a single number; it needs rows")
    outside = np.argwhere((numbers < 0) | (numbers >= rows.shape[0]))
    if outside.size:
        place = tuple(int(k) for k in outside[0])
        raise RangeError(
            f"embedding: id {numbers[place]} at place {place} is not a row of a table with {rows.shape[0]}"
        )
    return rows[numbers]


def moments(x: Any, axis: Any, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Mean and variance over axes.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or tuple of int
    keepdims : bool, optional

    Returns
    -------
    mean, variance : Tensor

    Notes
    -----
    **Gradient.** The path through the mean inside the variance carries the sum of deviations, which is 0; it is
    recorded all the same, since the second derivative needs it.

    Examples
    --------
    >>> [float(m) for m in ak.nn.moments([1.0, 2.0, 3.0, 4.0], 0)]
    [2.5, 1.25]
    """
    x = lift(x)
    away = x - mean(x, axis, True)
    return mean(x, axis, keepdims), mean(away * away, axis, keepdims)
