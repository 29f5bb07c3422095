"""Searching and counting: argmax, nonzero, searchsorted, any, all. None has a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import check_choice, check_flag, check_integer
from autodiff_kit.errors import ShapeError
from autodiff_kit.ops.axes import Axis, negative_axis, normalize_axes
from autodiff_kit.ops.families import nondifferentiable
from autodiff_kit.platform import in_int64


def _input_size(y: Any, x: Any, *_: Any) -> int:
    """The cost of operations that read every entry of the input."""
    return int(np.size(x))


def _reduction_axes(name: str) -> Callable[..., dict[str, Any]]:
    """What prepares the parameters of any, all and count_nonzero."""

    def prepare(x: Any, axis: Axis = None, keepdims: bool = False) -> dict[str, Any]:
        if axis is None:
            return {"axis": None, "keepdims": check_flag("keepdims", keepdims)}
        return normalize_axes(name, x, axis, keepdims)

    return prepare


def _one_axis(name: str) -> Callable[..., dict[str, Any]]:
    """What prepares the parameters of argmax and argmin: one axis or none; axis 0 or -1 of a single number counts as
    none, as in NumPy.
    """

    def prepare(x: Any, axis: int | None = None, keepdims: bool = False) -> dict[str, Any]:
        if axis is not None:
            place = check_integer(f"{name}: axis", axis)
            axis = None if not x.ndim and place in (0, -1) else negative_axis(place, x.ndim, name)
        return {"axis": axis, "keepdims": check_flag("keepdims", keepdims)}

    return prepare


@nondifferentiable(flops=_input_size, prepare=_reduction_axes("any"))
def any(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether any entry is not 0, over all entries or along axes."""
    return np.any(x, axis=axis, keepdims=keepdims)


@nondifferentiable(flops=_input_size, prepare=_reduction_axes("all"))
def all(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether no entry is 0, over all entries or along axes."""
    return np.all(x, axis=axis, keepdims=keepdims)


@nondifferentiable(flops=_input_size, prepare=_reduction_axes("count_nonzero"), counts=True)
def count_nonzero(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The number of entries that are not 0, over all entries or along axes."""
    return np.count_nonzero(x, axis=axis, keepdims=keepdims)


@nondifferentiable(flops=_input_size, prepare=_one_axis("argmax"), counts=True)
def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The position of the maximum, the first of equal entries; among all entries, or along an axis."""
    return np.argmax(x, axis=axis, keepdims=keepdims)


@nondifferentiable(flops=_input_size, prepare=_one_axis("argmin"), counts=True)
def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The position of the minimum, the first of equal entries; among all entries, or along an axis."""
    return np.argmin(x, axis=axis, keepdims=keepdims)


def _searchsorted_arguments(a: Any, b: Any, side: str = "left", sorter: Any = None) -> dict[str, Any]:
    """The parameters of searchsorted, checked."""
    return {
        "side": check_choice("searchsorted: side", side, "left", "right"),
        "sorter": None if sorter is None else as_array(as_tensor(sorter)._value),
    }


@nondifferentiable(arrays=2, prepare=_searchsorted_arguments, counts=True)
def searchsorted(a: Any, b: Any, side: str = "left", sorter: Any = None) -> Any:
    """The positions at which values would be inserted into a sorted vector.

    Parameters
    ----------
    a : Tensor or array_like
        A vector in ascending order.
    b : Tensor or array_like
        The values.
    side : {"left", "right"}, optional
        Before or behind equal entries.
    sorter : array_like of int, optional
        The positions that sort ``a``, if it is not sorted.

    Returns
    -------
    Tensor
        Of integers, in the shape of ``b``.

    Raises
    ------
    StructureError
        If ``side`` is neither.

    Notes
    -----
    **Gradient.** None. **Cost.** log n comparisons for each value.

    Examples
    --------
    >>> ak.searchsorted([1.0, 2.0, 4.0], [0.0, 2.0, 9.0]).tolist()
    [0, 1, 3]
    """
    return np.searchsorted(a, b, side=side, sorter=sorter)  # type: ignore[call-overload]


def nonzero(x: Any) -> tuple[Tensor, ...]:
    """The positions of the entries that are not 0.

    Parameters
    ----------
    x : Tensor or array_like

    Returns
    -------
    tuple of Tensor
        The indices along each axis.

    Raises
    ------
    ShapeError
        If it is a single number.

    Notes
    -----
    **Gradient.** None.

    Examples
    --------
    >>> rows, columns = ak.nonzero([[0.0, 2.0], [3.0, 0.0]])
    >>> rows.tolist(), columns.tolist()
    ([0, 1], [1, 0])
    """
    found = np.asarray(as_tensor(x)._value)
    if not found.ndim:
        raise ShapeError("nonzero: a single number has no axis; add one with reshape(x, (1,))")
    return tuple(wrap(in_int64(positions)) for positions in np.nonzero(found))
