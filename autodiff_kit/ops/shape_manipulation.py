"""Shape manipulation: reshape, transpose, broadcast, roll. All are linear; the tape keeps no values for them.

Gradients must work with extra leading axes (a whole Jacobian in one pass). Therefore the public functions convert axes
to negative numbers, and the operations count from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import check_choice, check_flag
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.axes import checked_int, checked_ints, negative_axis, trailing_shape
from autodiff_kit.ops.families import linear


def _target_shape(x: Any, shape: Any) -> tuple[int, ...]:
    wanted = checked_ints(shape, "reshape")
    try:
        return np.empty(x.shape, np.bool_).reshape(wanted).shape if x.size < 1 << 16 else _resolve_shape(x.size, wanted)
    except ValueError as error:
        raise ShapeError(f"reshape: {x.size} entries of shape {x.shape} do not fit into shape {wanted}") from error


def _resolve_shape(size: int, wanted: tuple[int, ...]) -> tuple[int, ...]:
    known = int(np.prod([n for n in wanted if n != -1], dtype=np.int64))
    full = tuple(size // max(known, 1) if n == -1 else n for n in wanted)
    if int(np.prod(full, dtype=np.int64)) != size:
        raise ValueError("sizes differ")
    return full


@linear(
    lambda g, _y, _x, *, shape, ndim: v.reshape(g, shape=trailing_shape(_x, ndim), ndim=len(shape)),
    prepare=lambda x, shape, ndim=None: {"shape": _target_shape(x, shape), "ndim": x.ndim},
)
def reshape(x: Any, shape: Any, ndim: int | None = None) -> Any:
    """Change the shape; the order of the entries stays.

    Parameters
    ----------
    x : Tensor or array_like
    shape : int or tuple of int
        One length may be -1: it follows from the others.
    ndim : int, optional
        For rules: how many axes at the end are reshaped; by default all.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the entries do not fit.

    Notes
    -----
    **Gradient.** In the shape of ``x``. **Cost.** None: the result is a view where NumPy gives one.

    Examples
    --------
    >>> ak.reshape([1.0, 2.0, 3.0, 4.0], (2, -1)).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    x = as_array(x)
    return x.reshape(x.shape[: x.ndim - (x.ndim if ndim is None else ndim)] + tuple(shape))


def ravel(x: Any) -> Tensor:
    """Flatten to one axis.

    Parameters
    ----------
    x : Tensor or array_like

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** In the shape of ``x``.

    Examples
    --------
    >>> ak.ravel([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return reshape(x, (-1,))


@linear(
    lambda g, _y, _x, *, axes: v.permute_dims(g, axes=_inverse_permutation(axes)),
    prepare=lambda x, axes=None: {"axes": _checked_permutation(x.ndim, axes)},
)
def permute_dims(x: Any, axes: Any = None) -> Any:
    """Permute the axes.

    Parameters
    ----------
    x : Tensor or array_like
    axes : tuple of int, optional
        The old axis for each new one; by default the axes in reverse order.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the axes are no permutation.

    Notes
    -----
    **Gradient.** Permuted back. **Cost.** None: the result is a view.

    Examples
    --------
    >>> ak.permute_dims(np.ones((2, 3, 4)), (0, 2, 1)).shape
    (2, 4, 3)
    """
    lead = np.ndim(x) - len(axes)
    return np.transpose(x, (*range(lead), *(lead + len(axes) + a for a in axes)))


def _checked_permutation(ndim: int, axes: Any) -> tuple[int, ...]:
    order = tuple(range(ndim))[::-1] if axes is None else tuple(axes)
    found = tuple(negative_axis(a, ndim, "permute_dims") for a in order)
    if sorted(found) != list(range(-ndim, 0)):
        raise ShapeError(f"permute_dims: axes {axes} are not a permutation of {ndim} axes")
    return found


def _inverse_permutation(axes: tuple[int, ...]) -> tuple[int, ...]:
    n = len(axes)
    return tuple(k - n for k in np.argsort([a + n for a in axes]))


def transpose(x: Any, axes: Any = None) -> Tensor:
    """Permute the axes: NumPy's name of :func:`permute_dims`.

    Parameters
    ----------
    x : Tensor or array_like
    axes : tuple of int, optional
        The old axis for each new one; by default the axes in reverse order.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If the axes are no permutation.

    Notes
    -----
    **Gradient.** Permuted back. **Cost.** None: the result is a view.

    Examples
    --------
    >>> ak.transpose(np.ones((2, 3, 4)), (0, 2, 1)).shape
    (2, 4, 3)
    """
    return permute_dims(x, axes)


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Swap two axes.

    Parameters
    ----------
    x : Tensor or array_like
    axis1, axis2 : int
        Negative ones count from the end.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> ak.swapaxes(np.zeros((2, 3, 4)), 0, -1).shape
    (4, 3, 2)
    """
    t = as_tensor(x)
    a, b = (negative_axis(k, t.ndim, "swapaxes") for k in (axis1, axis2))
    order = list(range(-t.ndim, 0))
    order[a], order[b] = order[b], order[a]
    return permute_dims(t, order)


def matrix_transpose(x: Any) -> Tensor:
    """Transpose the last two axes.

    Parameters
    ----------
    x : Tensor or array_like
        A matrix, or a stack of matrices.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If there are fewer than two axes.

    Examples
    --------
    >>> ak.matrix_transpose(np.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    return swapaxes(x, -1, -2)


def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """Move axes to other positions; the others keep their order.

    Parameters
    ----------
    x : Tensor or array_like
    source : int or sequence of int
    destination : int or sequence of int
        The same number of positions as ``source``, each once.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If an axis is out of range or named twice, or the numbers of axes are not equal.

    Examples
    --------
    >>> ak.moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    t = as_tensor(x)
    left, right = ([negative_axis(k, t.ndim, "moveaxis") + t.ndim for k in checked_ints(axes, "moveaxis")]
                   for axes in (source, destination))  # fmt: skip
    if len(left) != len(right) or len(set(left)) < len(left) or len(set(right)) < len(right):
        raise ShapeError(
            f"moveaxis: source {source} and destination {destination} must name equally many different axes"
        )
    order = [k for k in range(t.ndim) if k not in left]
    for place, axis in sorted(zip(right, left, strict=True)):
        order.insert(place, axis)
    return permute_dims(t, order)


def rollaxis(x: Any, axis: int, start: int = 0) -> Tensor:
    """Move one axis back until it is before another; see also :func:`moveaxis`.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int
    start : int, optional
        The position before which the axis comes to stand.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If a position is out of range.

    Notes
    -----
    **Gradient.** Moved back.

    Examples
    --------
    >>> ak.rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    t = as_tensor(x)
    place = negative_axis(axis, t.ndim, "rollaxis") + t.ndim
    if not -t.ndim <= checked_int(start, "rollaxis") <= t.ndim:
        raise ShapeError(f"rollaxis: start {start} is out of range for a value with {t.ndim} axes")
    end = start + t.ndim if start < 0 else start
    return moveaxis(t, place, end - 1 if place < end else end)


@linear(
    lambda g, _y, _x, *, axis: v.squeeze(g, axis=axis),
    prepare=lambda x, axis: {"axis": _new_axes(x.ndim, axis)},
)
def expand_dims(x: Any, axis: Any) -> Any:
    """Insert axes of length 1.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or tuple of int
        Positions of the new axes in the result.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If a position is out of range.

    Notes
    -----
    **Gradient.** In the shape of ``x``.

    Examples
    --------
    >>> ak.expand_dims([1.0, 2.0], 0).shape
    (1, 2)
    """
    return np.expand_dims(x, axis)


def _new_axes(ndim: int, axis: Any) -> tuple[int, ...]:
    many = checked_ints(axis, "expand_dims")
    return tuple(negative_axis(a, ndim + len(many), "expand_dims") for a in many)


@linear(
    lambda g, _y, _x, *, axis: v.expand_dims(g, axis=axis),
    prepare=lambda x, axis=None: {"axis": _unit_axes(x.shape, axis)},
)
def squeeze(x: Any, axis: Any = None) -> Any:
    """Remove axes of length 1.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or tuple of int, optional
        By default all of length 1.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        If an axis does not exist, or has another length.

    Notes
    -----
    **Gradient.** In the shape of ``x``.

    Examples
    --------
    >>> ak.squeeze([[1.0, 2.0]]).shape
    (2,)
    """
    return np.squeeze(x, axis)


def _unit_axes(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(k - len(shape) for k, n in enumerate(shape) if n == 1)
    return tuple(negative_axis(a, len(shape), "squeeze") for a in checked_ints(axis, "squeeze"))


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


def atleast_2d(*arrays: Any) -> Any:
    """Numbers and vectors as matrices with one row.

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
    >>> ak.atleast_2d([1.0, 2.0]).shape
    (1, 2)
    """
    return _add_axes_up_to(arrays, lambda n: (0, 1)[: 2 - n] if n < 2 else ())


def atleast_3d(*arrays: Any) -> Any:
    """Values with at least three axes; a vector becomes the middle axis, a matrix the first two.

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


@linear(
    lambda g, _y, _x, *, shift, axis: v.roll(g, shift=tuple(-s for s in shift), axis=axis),
    prepare=lambda x, shift, axis: {
        "shift": checked_ints(shift, "roll"),
        "axis": tuple(negative_axis(a, x.ndim, "roll") for a in checked_ints(axis, "roll")),
    },
)
def _roll(x: Any, shift: Any, axis: Any) -> Any:
    """Entries shifted along axes."""
    return np.roll(x, shift, axis)


def roll(x: Any, shift: Any, axis: Any = None) -> Tensor:
    """Shift entries along axes; entries that leave at the end enter at the front.

    Parameters
    ----------
    x : Tensor or array_like
    shift : int or sequence of int
        Positions to shift, one number for each axis or one for all.
    axis : int or sequence of int, optional
        By default the entries of the flattened array are shifted, as in NumPy.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> ak.roll([1.0, 2.0, 3.0], 1).numpy()
    array([3., 1., 2.])
    """
    if axis is not None:
        return _roll(x, shift, axis)
    t = as_tensor(x)
    return reshape(_roll(ravel(t), shift, -1), t.shape)
