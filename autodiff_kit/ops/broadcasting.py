"""Broadcasting to larger shapes, and axes added in front for it. The gradient is summed over what was repeated."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import check_choice, check_flag
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.axes import checked_ints
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import linear
from autodiff_kit.ops.shape_manipulation import expand_dims, reshape


def _broadcast_arguments(x: Any, shape: Any) -> dict[str, Any]:
    """The parameters of broadcast_to, checked."""
    wanted = checked_ints(shape, "broadcast_to")
    if x.ndim > len(wanted):
        raise ShapeError(f"broadcast_to: a value of shape {x.shape} has more axes than shape {wanted}")
    return {"shape": wanted}


@linear(lambda g, _y, _x, *, shape: g, prepare=_broadcast_arguments)  # the engine sums over broadcast axes
def broadcast_to(x: Any, shape: Any) -> Any:
    """Broadcast to a larger shape, without copying.

    Parameters
    ----------
    x : Tensor or array_like
    shape : int or tuple of int

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the shape has fewer axes, or lengths that do not fit.

    Notes
    -----
    **Gradient.** Summed over what was repeated.

    Examples
    --------
    >>> ak.broadcast_to([1.0, 2.0], (2, 2)).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    x = as_array(x)
    lead = x.shape[: max(0, x.ndim - len(shape))]
    return np.broadcast_to(x, lead + tuple(shape))


def broadcast_arrays(*arrays: Any) -> tuple[Tensor, ...]:
    """Broadcast several values to their common shape.

    Parameters
    ----------
    *arrays : Tensor or array_like

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ShapeError
        If there is no common shape.

    Notes
    -----
    **Gradient.** Summed over what was repeated.

    Examples
    --------
    >>> a, b = ak.broadcast_arrays([1.0, 2.0], 3.0)
    >>> b.tolist()
    [3.0, 3.0]
    """
    tensors = [as_tensor(x) for x in arrays]
    shapes = [t.shape for t in tensors]
    try:
        common = np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise ShapeError(f"broadcast_arrays of shapes {shapes}: they have no common shape") from error
    return tuple(t if t.shape == common else broadcast_to(t, common) for t in tensors)


def _add_axes_up_to(arrays: tuple[Any, ...], place: Any) -> Any:
    """Each array with the new axes that ``place`` gives for its number of axes; one value for one, a tuple for several,
    as in NumPy.
    """
    tensors = [as_tensor(x) for x in arrays]
    wide = tuple(expand_dims(t, axis) if (axis := place(t.ndim)) else t for t in tensors)
    return wide[0] if len(wide) == 1 else wide


def atleast_1d(*arrays: Any) -> Any:
    """Numbers as vectors with one entry.

    Parameters
    ----------
    *arrays : Tensor or array_like

    Returns
    -------
    Tensor or tuple of Tensor
        A tuple for several values.

    Notes
    -----
    **Gradient.** In the shape of the value.

    Examples
    --------
    >>> ak.atleast_1d(3.0).shape
    (1,)
    """
    return _add_axes_up_to(arrays, lambda n: (0,) if n < 1 else ())


@sections_of(atleast_1d)
def atleast_2d(*arrays: Any) -> Any:
    """Numbers and vectors as matrices with one row.

    Examples
    --------
    >>> ak.atleast_2d([1.0, 2.0]).shape
    (1, 2)
    """
    return _add_axes_up_to(arrays, lambda n: (0, 1)[: 2 - n] if n < 2 else ())


@sections_of(atleast_1d)
def atleast_3d(*arrays: Any) -> Any:
    """Values with at least three axes; a vector becomes the middle axis, a matrix the first two.

    Examples
    --------
    >>> ak.atleast_3d([1.0, 2.0]).shape
    (1, 2, 1)
    """
    return _add_axes_up_to(arrays, lambda n: ((0, 1, 2), (0, 2), (2,))[n] if n < 3 else ())


def meshgrid(*arrays: Any, indexing: str = "xy", sparse: bool = False) -> list[Tensor]:
    """Coordinate grids from coordinate vectors.

    Parameters
    ----------
    *arrays : Tensor or array_like
        Vectors or numbers.
    indexing : {"xy", "ij"}, optional
        Whether the first vector runs along the second axis, as in a picture, or along the first.
    sparse : bool, optional
        Return the grids without broadcasting them, with axes of length 1.

    Returns
    -------
    list of Tensor

    Examples
    --------
    >>> x, y = ak.meshgrid([1.0, 2.0, 3.0], [10.0, 20.0])
    >>> y.numpy()
    array([[10., 10., 10.],
           [20., 20., 20.]])
    """
    check_choice("meshgrid: indexing", indexing, "xy", "ij")
    tensors = [as_tensor(x) for x in arrays]
    if any(t.ndim > 1 for t in tensors):
        raise ShapeError(f"meshgrid takes vectors, not shapes {[t.shape for t in tensors]}")
    n = len(tensors)
    places = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    lines = [reshape(t, [-1 if k == p else 1 for k in range(n)]) for t, p in zip(tensors, places, strict=True)]
    return lines if check_flag("meshgrid: sparse", sparse) else list(broadcast_arrays(*lines))
