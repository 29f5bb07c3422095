"""Sorting, partitioning and the largest k entries; the gradient of each entry goes back to its position."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.errors import RangeError
from autodiff_kit.ops.axes import checked_int, checked_ints, negative_axis
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.families import nondifferentiable
from autodiff_kit.ops.indexing import take, take_along_axis
from autodiff_kit.ops.shape_manipulation import ravel


def _argsort_arguments(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = True) -> dict[str, Any]:
    """The parameters of argsort, checked."""
    order = {"descending": check_flag("descending", descending), "stable": check_flag("stable", stable)}
    return {"axis": axis if axis is None or not x.ndim else negative_axis(axis, x.ndim, "argsort"), **order}


@nondifferentiable(
    flops=lambda _y, x, *_: np.size(x) * max(1, int(np.size(x)).bit_length()), prepare=_argsort_arguments, counts=True
)
def argsort(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Any:
    """The positions that sort along an axis.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or None, optional
        None sorts all entries as one vector.
    descending : bool, optional
        Whether to sort in descending order.
    stable : bool, optional
        For NumPy's signature: equal entries always keep their order.

    Returns
    -------
    Tensor
        Of integers.

    Raises
    ------
    ShapeError
        If the axis does not exist. A single number counts as one entry along axis 0, as in NumPy.

    Notes
    -----
    **Gradient.** None. :func:`sort` and :func:`take_along_axis` pass gradients on. **Cost.** n log n comparisons.

    Examples
    --------
    >>> ak.argsort([3.0, 1.0, 2.0]).tolist()
    [1, 2, 0]
    """
    x = np.asarray(x)
    return _stable_order(x.reshape(-1), -1, descending) if axis is None else _stable_order(x, axis, descending)


def _stable_order(x: np.ndarray[Any, Any], axis: int, descending: bool) -> np.ndarray[Any, Any]:
    """The positions that sort along an axis; equal entries keep their order, also when descending."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # Sorted from the end, so that equal entries keep their order.
    reversed_order: Any = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    descending_order: np.ndarray[Any, Any] = x.shape[axis] - 1 - np.flip(reversed_order, axis)
    return descending_order


@sections_of(argsort)
def sort(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Sort entries along an axis.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** Passed back to the position from which each entry came.

    Examples
    --------
    >>> ak.sort([3.0, 1.0, 2.0], descending=True).numpy()
    array([3., 2., 1.])
    """
    t = ravel(x) if axis is None else as_tensor(x)
    place = negative_axis(-1 if axis is None else axis, t.ndim, "sort")
    return take_along_axis(t, argsort(t._value, place, descending), place)


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> tuple[Tensor, Tensor]:
    """The ``k`` largest entries along an axis, in descending order, and their positions.

    Parameters
    ----------
    x : Tensor or array_like
    k : int
    axis : int, optional
    largest : bool, optional
        False for the smallest, the smallest first.

    Returns
    -------
    values, positions : Tensor

    Raises
    ------
    RangeError
        If the axis has fewer than ``k`` entries.

    Notes
    -----
    **Gradient.** Passed to the chosen entries, 0 to the others; of equal entries the first are chosen.

    Examples
    --------
    >>> values, positions = ak.topk([1.0, 5.0, 3.0], 2)
    >>> values.tolist(), positions.tolist()
    ([5.0, 3.0], [1, 2])
    """
    t = as_tensor(x)
    place = negative_axis(axis, t.ndim, "topk")
    if not 0 <= checked_int(k, "topk") <= t.shape[place]:
        raise RangeError(f"topk: k must be between 0 and the {t.shape[place]} entries of the axis, got {k}")
    order = take(argsort(t._value, place, largest), np.arange(k), place)
    return take_along_axis(t, order, place), order


def _check_kth(x: Tensor, kth: Any, axis: int | None, name: str) -> None:
    """Raise if ``kth`` is out of range."""
    n = x.size if axis is None else x.shape[negative_axis(axis, x.ndim, name)]
    for k in checked_ints(kth, name):
        if not -n <= k < n:
            raise RangeError(f"{name}: kth {k} is out of range for {n} entries")


def partition(x: Any, kth: Any, axis: int | None = -1) -> Tensor:
    """Bring an entry to its sorted position, between smaller and larger ones. Here all entries are sorted.

    Parameters
    ----------
    x : Tensor or array_like
    kth : int or sequence of int
        The position, or several.
    axis : int or None, optional
        None sorts all entries into one vector.

    Returns
    -------
    Tensor

    Raises
    ------
    RangeError
        If a position is out of range.

    Notes
    -----
    **Gradient.** Passed back to the position from which each entry came.

    Examples
    --------
    >>> float(ak.partition([3.0, 1.0, 2.0], 1)[1])
    2.0
    """
    t = as_tensor(x)
    _check_kth(t, kth, axis, "partition")
    return sort(t, axis)
