"""Diagonals and triangles of matrices: linear operations, each the transpose of another or of itself."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.errors import ArgumentError, ShapeError
from autodiff_kit.ops.axes import negative_axis
from autodiff_kit.ops.axis_order import permute_dims
from autodiff_kit.ops.broadcasting import broadcast_to
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import linear
from autodiff_kit.ops.reductions import sum


@lru_cache(maxsize=16)
def _eye(n: int) -> Any:
    return np.eye(n, dtype=np.bool_)


@linear(lambda g, _y, _x, *, offset: v.on_diagonal(g, offset=offset, shape=_x.shape[-2:]))
def _diagonal(x: Any, offset: int = 0) -> Any:
    """The diagonal of the last two axes, as the last axis."""
    return np.diagonal(x, offset, -2, -1)


@linear(lambda g, _y, _x, *, offset, shape: v.diagonal(g, offset=offset))
def _on_diagonal(x: Any, offset: int, shape: tuple[int, int]) -> Any:
    """Matrices of zeros with the entries of ``x`` on one diagonal."""
    x = as_array(x)
    if offset == 0 and shape == x.shape[-1:] * 2:
        return np.where(_eye(shape[0]), x[..., None, :], x.dtype.type(0))
    x = np.asarray(x)
    y = np.zeros((*x.shape[:-1], *shape), x.dtype)
    rows = np.arange(x.shape[-1]) + max(0, -offset)
    y[..., rows, rows + offset] = x
    return y


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of two axes, as the last axis of the result.

    Parameters
    ----------
    a : Tensor or array_like
        At least two axes.
    offset : int, optional
        The number of the diagonal above the main one; negative below it.
    axis1, axis2 : int, optional
        Rows and columns of the matrices; the other axes are a stack.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If an axis does not exist, or both are the same.

    Notes
    -----
    **Gradient.** Placed on the same diagonal, with zeros elsewhere.

    Examples
    --------
    >>> ak.diagonal([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([1., 4.])
    """
    a = as_tensor(a)
    rows, columns = (negative_axis(k, a.ndim, "diagonal") for k in (axis1, axis2))
    if rows == columns:
        raise ShapeError(f"diagonal: axis1 and axis2 are both axis {rows}; give two different axes")
    order = [k for k in range(-a.ndim, 0) if k not in (rows, columns)] + [rows, columns]
    return _diagonal(a if order == list(range(-a.ndim, 0)) else permute_dims(a, order), _checked_offset(offset))


@sections_of(diagonal)
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The trace: the sum of a diagonal.

    Notes
    -----
    **Gradient.** On the diagonal, elsewhere 0.

    Examples
    --------
    >>> float(ak.trace([[1.0, 2.0], [3.0, 4.0]]))
    5.0
    """
    return sum(diagonal(a, offset, axis1, axis2), -1)


def diag(a: Any, k: int = 0) -> Tensor:
    """Extract the diagonal of a matrix, or make a diagonal matrix from a vector.

    Parameters
    ----------
    a : Tensor or array_like
        One axis or two.
    k : int, optional
        The number of the diagonal above the main one; negative below it.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If ``a`` has neither one axis nor two.

    Examples
    --------
    >>> ak.diag([1.0, 2.0]).numpy()
    array([[1., 0.],
           [0., 2.]])
    """
    a, k = as_tensor(a), _checked_offset(k)
    if a.ndim == 2:
        return diagonal(a, k)
    if a.ndim != 1:
        raise ShapeError(f"diag takes a vector or a matrix, not shape {a.shape}; for stacks use ak.diagonal")
    n = a.shape[0] + abs(k)
    return _on_diagonal(a, k, (n, n))


_LARGE = 1 << 14
"""Making the mask of so many entries takes little beside using it."""


@lru_cache(maxsize=16)
def _lower_triangle(rows: int, columns: int, k: int) -> Any:
    return np.tri(rows, columns, k, np.bool_)


@linear(lambda g, _y, _x, *, k: v.tril(g, k=k))
def _tril(x: Any, k: int = 0) -> Any:
    """The lower triangle of each matrix."""
    if type(x) is np.ndarray and x.ndim > 1 and x.shape[-1] * x.shape[-2] < _LARGE:
        return np.where(_lower_triangle(*x.shape[-2:], k), x, x.dtype.type(0))
    return np.tril(x, k)


@linear(lambda g, _y, _x, *, k: v.triu(g, k=k))
def _triu(x: Any, k: int = 0) -> Any:
    """The upper triangle of each matrix."""
    if type(x) is np.ndarray and x.ndim > 1 and x.shape[-1] * x.shape[-2] < _LARGE:
        return np.where(_lower_triangle(*x.shape[-2:], k - 1), x.dtype.type(0), x)
    return np.triu(x, k)


def tril(a: Any, k: int = 0) -> Tensor:
    """The lower triangle of a matrix: zeros above the diagonal ``k``.

    Parameters
    ----------
    a : Tensor or array_like
        Of shape ``(..., m, n)``; a vector counts as a square matrix of equal rows, as in NumPy.
    k : int, optional
        Negative below the main diagonal.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> ak.tril([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[1., 0.],
           [3., 4.]])
    """
    return _tril(_at_least_matrix(a, "tril"), _checked_offset(k))


@sections_of(tril)
def triu(a: Any, k: int = 0) -> Tensor:
    """The upper triangle of a matrix: zeros below the diagonal ``k``.

    Examples
    --------
    >>> ak.triu([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[1., 2.],
           [0., 4.]])
    """
    return _triu(_at_least_matrix(a, "triu"), _checked_offset(k))


def _at_least_matrix(a: Any, name: str) -> Tensor:
    """A vector becomes a square matrix of equal rows, as in NumPy."""
    a = as_tensor(a)
    if not a.ndim:
        raise ShapeError(f"{name} takes matrices, not a number")
    return broadcast_to(a, (a.size, a.size)) if a.ndim == 1 else a


def _checked_offset(k: Any) -> int:
    """The offset of a diagonal as int; raises if it is not an integer."""
    if not isinstance(k, (int, np.integer)):
        raise ArgumentError(
            f"the offset of a diagonal must be an integer, got {k!r}; 0 is the main diagonal, 1 the one above it"
        )
    return int(k)
