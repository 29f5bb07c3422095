"""Embedding lookup: rows of a table by integer ids."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import ShapeError
from autodiff_kit.nn.segment.validation import check_ids, integer_array

__all__ = ["embedding"]


def embedding(table: Any, ids: Any) -> Tensor:
    """Embedding lookup: rows of a table, selected by integer ids.

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
        If an id is outside the table; the message names the first such id and its position.

    Notes
    -----
    **Gradient.** The cotangents of a row that was selected more than once are added.

    Examples
    --------
    >>> ak.nn.embedding([[1.0, 2.0], [3.0, 4.0]], [1, 1, 0]).numpy()
    array([[3., 4.],
           [3., 4.],
           [1., 2.]])
    """
    rows, numbers = as_tensor(table), integer_array("embedding", "ids", ids)
    if not rows.ndim:
        raise ShapeError("embedding: the table is a single number; it needs rows")
    return rows[check_ids("embedding", "id", numbers, rows.shape[0]).reshape(numbers.shape)]
