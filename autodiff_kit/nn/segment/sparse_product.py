"""Products of sparse and dense matrices, such as a graph's adjacency times node features."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn.segment.validation import check_ids, integer_array
from autodiff_kit.ops import segment_reductions

__all__ = ["sparse_matmul"]


class _SparseEntries(NamedTuple):
    """Rows and columns of the entries of a sparse matrix; ``stored`` are their values, or None."""

    rows: Any
    columns: Any
    shape: tuple[int, int]
    stored: Any


def sparse_matmul(adjacency: Any, x: Any, values: Any = None) -> Tensor:
    """Product of a sparse matrix and a dense one; with a graph's adjacency, the sum over each node's neighbours.

    Parameters
    ----------
    adjacency : sparse matrix or tuple
        A matrix or array of ``scipy.sparse`` of any format, or ``(rows, columns, shape)``: the positions of the
        entries.
    x : Tensor or array_like
        ``(n, k)``, or a vector ``(n,)``.
    values : Tensor or array_like, optional
        A value for each position, in the order of ``adjacency.tocoo()`` or of the tuple: trainable weights.
        By default the stored values of the sparse matrix, or ones.

    Returns
    -------
    Tensor
        ``(m, k)`` or ``(m,)`` for an adjacency of shape ``(m, n)``. Entries at the same position are added.

    Raises
    ------
    ShapeError
        If the shapes do not fit.
    RangeError
        If a row or column is outside the shape; the first such number and its position are named.
    StructureError, DtypeError
        If the adjacency is neither of the two, or rows and columns are not integers.

    Notes
    -----
    **Dtypes.** Promoted as NumPy's; SciPy's matrices are float64 unless made otherwise.
    **Gradient.** To ``x``, by the transpose; to ``values`` at the given positions only. The stored entries are
    constants.
    **Cost.** Two operations for each entry and column of ``x``; no dense matrix is made.

    Examples
    --------
    >>> path = ([0, 1, 1, 2], [1, 0, 2, 1], (3, 3))  # the graph 0 - 1 - 2
    >>> ak.segment.sparse_matmul(path, [[1.0], [10.0], [100.0]]).tolist()
    [[10.0], [101.0], [10.0]]
    """
    t, entries = as_tensor(x), _sparse_entries(adjacency)
    if t.ndim not in (1, 2) or t.shape[0] != entries.shape[1]:
        raise ShapeError(
            f"sparse_matmul of shapes {entries.shape} and {t.shape}: the second needs {entries.shape[1]} rows, "
            "and one axis or two"
        )
    weights = as_tensor(_entry_values(values, entries, t.dtype))
    if weights.shape != entries.rows.shape:
        raise ShapeError(
            f"sparse_matmul: got values of shape {weights.shape} for {entries.rows.size} entries; give one value for "
            "each entry"
        )
    column = t if t.ndim == 2 else t[:, None]
    rows, columns, shape, _ = entries
    out: Tensor = segment_reductions.sparse_product(weights, column, rows=rows, columns=columns, shape=shape)
    return out if t.ndim == 2 else out[:, 0]


def _entry_values(values: Any, entries: _SparseEntries, dtype: Any) -> Any:
    if values is not None:
        return values
    if entries.stored is not None:
        return entries.stored
    return np.ones(entries.rows.shape, dtype if dtype.kind == "f" else np.float64)


def _sparse_entries(adjacency: Any) -> _SparseEntries:
    """Rows, columns and shape of the entries; SciPy is not imported: its matrices are recognized by ``tocoo``."""
    if hasattr(adjacency, "tocoo"):
        coo = adjacency.tocoo()
        entries = _SparseEntries(coo.row, coo.col, coo.shape, coo.data)
    elif isinstance(adjacency, (tuple, list)) and len(adjacency) == 3:
        entries = _SparseEntries(adjacency[0], adjacency[1], adjacency[2], None)
    else:
        raise StructureError(
            "sparse_matmul: the adjacency must be a matrix of scipy.sparse or a tuple (rows, columns, shape), "
            f"got {type(adjacency).__name__}; for a dense matrix use @"
        )
    shape = _matrix_shape(entries.shape)
    rows, columns = (
        integer_array("sparse_matmul", "rows", entries.rows),
        integer_array("sparse_matmul", "columns", entries.columns),
    )
    if rows.ndim != 1 or rows.shape != columns.shape:
        raise ShapeError(
            f"sparse_matmul: rows and columns must have the same shape, got {rows.shape} and {columns.shape}"
        )
    rows = check_ids("sparse_matmul", "row", rows, shape[0])
    return _SparseEntries(rows, check_ids("sparse_matmul", "column", columns, shape[1]), shape, entries.stored)


def _matrix_shape(given: Any) -> tuple[int, int]:
    try:
        m, n = (operator.index(unwrap(k)) for k in given)
    except (TypeError, ValueError) as error:
        raise StructureError(f"sparse_matmul: the shape must be two integers, got {given!r}") from error
    if m < 0 or n < 0:
        raise StructureError(f"sparse_matmul: the shape must be two numbers of 0 or more, got {given!r}")
    return m, n
