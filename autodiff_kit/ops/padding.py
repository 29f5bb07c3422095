"""Padding of arrays with a constant, or with entries of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_choice
from autodiff_kit.errors import DtypeError, RangeError, ShapeError
from autodiff_kit.ops.families import general
from autodiff_kit.ops.indexing import take
from autodiff_kit.ops.number_parameters import value_of_parameter
from autodiff_kit.pytree import flatten


def _without_margin(shape: tuple[int, ...], width: tuple[tuple[int, int], ...]) -> tuple[Any, ...]:
    """The index of the entries inside a margin."""
    return (Ellipsis, *(slice(a, n - b) for n, (a, b) in zip(shape[len(shape) - len(width) :], width, strict=True)))


@general(
    lambda g, _y, _x, *, width, fill: g[_without_margin(np.shape(g), width)],
    jvp=lambda t, _y, _x, *, width, fill: v.frame(t[0], width=width, fill=0),
)
def _frame(x: Any, width: tuple[tuple[int, int], ...], fill: Any) -> Any:
    """Pad the last axes with a constant."""
    x = np.asarray(x)
    lead = x.ndim - len(width)
    if np.ndim(fill):
        fill = ((0, 0),) * lead + tuple(map(tuple, fill))
    return np.pad(x, ((0, 0),) * lead + width, constant_values=fill)


def _pad_widths(width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """One pair of widths for each axis, from a number, a pair, or pairs."""
    numbers = np.asarray(as_tensor(width)._value)
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise DtypeError(f"pad: widths must be integers, got {numbers.dtype}")
    if numbers.size and numbers.min() < 0:
        raise RangeError(f"pad: widths must be 0 or more, got {width}")
    try:
        pairs = np.broadcast_to(numbers, (ndim, 2)).astype(int)
    except ValueError as error:
        raise ShapeError(f"pad: widths must be a number, a pair, or {ndim} pairs, got {width}") from error
    return tuple((int(a), int(b)) for a, b in pairs)


def _fill_values(fill: Any, ndim: int) -> tuple[tuple[Any, ...], ...]:
    """One pair of fill values for each axis."""
    try:
        return tuple(map(tuple, np.broadcast_to(fill, (ndim, 2)).tolist()))
    except ValueError as error:
        raise ShapeError(f"pad: {np.shape(fill)} values do not fit {ndim} axes with two ends each") from error


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Tensor:
    """Pad an array along its axes.

    Parameters
    ----------
    x : Tensor or array_like
    pad_width : int, pair of int, or a pair for each axis
        Entries before and after.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}, optional
        The source of the entries in the margin.
    constant_values : float, pair, or a pair for each axis, optional
        For mode "constant".

    Returns
    -------
    Tensor

    Raises
    ------
    StructureError
        If the mode is not one of the five.
    RangeError
        If a width is negative.

    Notes
    -----
    **Gradient.** Entries that are copied into the margin get the sum over their copies.

    Examples
    --------
    >>> ak.pad([1.0, 2.0, 3.0], (2, 1), mode="reflect").numpy()
    array([3., 2., 1., 2., 3., 2.])
    """
    t = as_tensor(x)
    width = _pad_widths(pad_width, t.ndim)
    if not t.ndim:
        return t
    if check_choice("pad: mode", mode, "constant", "edge", "reflect", "symmetric", "wrap") == "constant":
        for given in flatten(constant_values):
            value_of_parameter("pad: constant_values", given)
        fill = unwrap(as_tensor(constant_values))
        return _frame(t, width, fill if np.ndim(fill) == 0 else _fill_values(fill, t.ndim))
    for axis, pair in enumerate(width):
        if pair != (0, 0):
            if not t.shape[axis]:
                raise ShapeError(
                    f"pad: axis {axis} is empty, so there are no entries to copy into the margin; use mode 'constant'"
                )
            places: Any = np.pad(np.arange(t.shape[axis]), pair, mode=mode)  # type: ignore[call-overload]
            t = take(t, places, axis)
    return t
