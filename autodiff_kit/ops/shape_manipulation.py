"""Shape manipulation: reshape, insert and remove axes, roll. All are linear; the tape keeps no values for them.

Gradients must work with extra leading axes (a whole Jacobian in one pass). Therefore the public functions convert axes
to negative numbers, and the operations count from the end.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.axes import checked_ints, negative_axis, trailing_shape
from autodiff_kit.ops.families import linear


def _target_shape(x: Any, shape: Any) -> tuple[int, ...]:
    integers = type(shape) is tuple and set(map(type, shape)) == {int}
    return _fitting_shape(x.shape, shape if integers else checked_ints(shape, "reshape"))


@lru_cache(maxsize=256)
def _fitting_shape(shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    size = math.prod(shape)
    if math.prod(wanted) == size > 0 and min(wanted, default=1) > 0:
        return wanted
    if min(wanted, default=0) < -1:  # NumPy reads each as -1
        raise ShapeError(
            f"reshape: each length must be 0 or more, or -1 for the one that follows from the others; got {wanted}"
        )
    try:
        return np.empty(shape, np.bool_).reshape(wanted).shape if size < 1 << 16 else _resolve_shape(size, wanted)
    except ValueError as error:
        checked_ints(wanted, "reshape")  # one of them may be larger than any array
        raise ShapeError(f"reshape: {size} entries of shape {shape} do not fit into shape {wanted}") from error


def _resolve_shape(size: int, wanted: tuple[int, ...]) -> tuple[int, ...]:
    known = math.prod([n for n in wanted if n != -1])
    full = tuple(size // max(known, 1) if n == -1 else n for n in wanted)
    if math.prod(full) != size:
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
        If the entries do not fit, or a length is negative and not -1.

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
    if type(x) is np.ndarray and len(axis) == 1:  # np.expand_dims checks it again and takes three times as long
        k = axis[0] % (x.ndim + 1)
        return x.reshape(*x.shape[:k], 1, *x.shape[k:])
    n = np.ndim(x) + len(axis)
    places = {a % n for a in axis}
    if type(x) is not np.ndarray or len(places) < len(axis):
        return np.expand_dims(x, axis)
    lengths = iter(x.shape)
    return x.reshape([1 if k in places else next(lengths) for k in range(n)])


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


@linear(
    lambda g, _y, _x, *, shift, axis: v.roll(g, shift=tuple(-s for s in shift), axis=axis),
    prepare=lambda x, shift, axis: {
        "shift": tuple([s % (math.lcm(*x.shape) or 1) for s in checked_ints(shift, "roll", bounded=False)]),
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
