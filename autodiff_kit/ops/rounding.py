"""What has no slope: rounding, comparison, conversion to whole numbers, positions.

Gradients end at these operations, as None and never as a silent zero; :mod:`autodiff_kit.nn.relax` offers stand-ins
that have one, and an override map can give each of them another operation's gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import linear, zero
from autodiff_kit.core.tensor import Tensor, array, lift, make
from autodiff_kit.core.validation import flag, number, said, whole, word
from autodiff_kit.errors import DtypeError, ShapeError
from autodiff_kit.ops.reductions import as_axes
from autodiff_kit.ops.shape_manipulation import negative_axis

__all__ = [
    "all", "allclose", "any", "argmax", "argmin", "argsort", "array_equal", "bitwise_and", "bitwise_invert",
    "bitwise_or", "bitwise_xor", "cast", "ceil", "count_nonzero", "equal", "floor", "floor_divide", "greater",
    "greater_equal", "heaviside", "isclose", "isfinite", "isinf", "isnan", "less", "less_equal", "logical_and",
    "logical_not", "logical_or", "logical_xor", "nextafter", "nonzero", "not_equal", "rint", "round", "searchsorted",
    "sign", "signbit", "trunc",
]  # fmt: skip


def _read(y: Any, x: Any, *_: Any) -> int:
    """The cost of what reads every entry and answers with few."""
    return int(np.size(x))


@zero()
def floor(x: Any) -> Any:
    """The largest whole number that is not above ``x``. No gradient: None."""
    return np.floor(x)


@zero()
def ceil(x: Any) -> Any:
    """The smallest whole number that is not below ``x``. No gradient: None."""
    return np.ceil(x)


@zero()
def round_(x: Any) -> Any:
    """The nearest whole number; halves go to the even one."""
    return np.round(x)


@zero()
def rint(x: Any) -> Any:
    """The nearest whole number as a floating number, also of whole numbers. No gradient: None."""
    return np.rint(x)


@zero()
def _round_to(x: Any, decimals: int) -> Any:
    """The nearest number of so many decimals."""
    return np.round(x, decimals)


def round(x: Any, decimals: int = 0) -> Tensor:
    """The nearest whole number, or number of some decimals; halves go to the even one. No gradient: None.

    Parameters
    ----------
    x : Tensor or array_like
    decimals : int, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> ak.round([0.5, 1.5, 2.345]).tolist(), float(ak.round(2.345, 1))
    ([0.0, 2.0, 2.0], 2.3)
    """
    places = whole("round: decimals", decimals)
    return _round_to(x, places) if places else round_(x)


@zero()
def trunc(x: Any) -> Any:
    """The whole part, towards 0. No gradient: None."""
    return np.trunc(x)


@zero()
def sign(x: Any) -> Any:
    """-1, 0 or 1. No gradient: None."""
    return np.sign(x)


@zero(arrays=2)
def floor_divide(a: Any, b: Any) -> Any:
    """``floor(a / b)``. No gradient: None."""
    return np.floor_divide(a, b)


@zero(arrays=2)
def less(a: Any, b: Any) -> Any:
    """``a < b``."""
    return np.less(a, b)


@zero(arrays=2)
def less_equal(a: Any, b: Any) -> Any:
    """``a <= b``."""
    return np.less_equal(a, b)


@zero(arrays=2)
def greater(a: Any, b: Any) -> Any:
    """``a > b``."""
    return np.greater(a, b)


@zero(arrays=2)
def greater_equal(a: Any, b: Any) -> Any:
    """``a >= b``."""
    return np.greater_equal(a, b)


@zero(arrays=2)
def equal(a: Any, b: Any) -> Any:
    """``a == b``, entry by entry."""
    return np.equal(a, b)


@zero(arrays=2)
def not_equal(a: Any, b: Any) -> Any:
    """``a != b``, entry by entry."""
    return np.not_equal(a, b)


@zero(arrays=2)
def logical_and(a: Any, b: Any) -> Any:
    """Whether both hold."""
    return np.logical_and(a, b)


@zero(arrays=2)
def logical_or(a: Any, b: Any) -> Any:
    """Whether one of the two holds."""
    return np.logical_or(a, b)


@zero(arrays=2)
def logical_xor(a: Any, b: Any) -> Any:
    """Whether just one of the two holds."""
    return np.logical_xor(a, b)


@zero(arrays=2)
def bitwise_and(a: Any, b: Any) -> Any:
    """The bits that both have; of truth values whether both hold."""
    return np.bitwise_and(a, b)


@zero(arrays=2)
def bitwise_or(a: Any, b: Any) -> Any:
    """The bits that one of the two has; of truth values whether one holds."""
    return np.bitwise_or(a, b)


@zero(arrays=2)
def bitwise_xor(a: Any, b: Any) -> Any:
    """The bits that just one of the two has; of truth values whether just one holds."""
    return np.bitwise_xor(a, b)


@zero()
def bitwise_invert(x: Any) -> Any:
    """The other bits; of a truth value the other one."""
    return np.invert(x)


@zero(arrays=2)
def heaviside(a: Any, b: Any) -> Any:
    """0 below 0, 1 above, and ``b`` at 0. No gradient: None."""
    return np.heaviside(a, b)


@zero(arrays=2)
def nextafter(a: Any, b: Any) -> Any:
    """The next number after ``a`` on the way to ``b``. No gradient: None."""
    return np.nextafter(a, b)


@zero()
def signbit(x: Any) -> Any:
    """Where entries have a minus sign, -0.0 among them."""
    return np.signbit(x)


@zero()
def logical_not(x: Any) -> Any:
    """Whether it does not hold."""
    return np.logical_not(x)


@zero()
def isnan(x: Any) -> Any:
    """Where entries are nan."""
    return np.isnan(x)


@zero()
def isinf(x: Any) -> Any:
    """Where entries are infinite."""
    return np.isinf(x)


@zero()
def isfinite(x: Any) -> Any:
    """Where entries are neither infinite nor nan."""
    return np.isfinite(x)


Axis = int | tuple[int, ...] | None


def _over_axes(x: Any, axis: Axis = None, keepdims: bool = False) -> dict[str, Any]:
    return as_axes(x, axis, keepdims) if axis is not None else {"axis": None, "keepdims": flag("keepdims", keepdims)}


def _along(x: Any, axis: int | None = None, keepdims: bool = False) -> dict[str, Any]:
    """One axis or none, as NumPy has it; a number may be said to have one."""
    if axis is not None:
        place = whole("axis", axis)
        axis = None if not x.ndim and place in (0, -1) else negative_axis(place, x.ndim, "axis")
    return {"axis": axis, "keepdims": flag("keepdims", keepdims)}


def _sorting(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = True) -> dict[str, Any]:
    order = {"descending": flag("descending", descending), "stable": flag("stable", stable)}
    return {"axis": axis if axis is None or not x.ndim else negative_axis(axis, x.ndim, "argsort"), **order}


@zero(flops=_read, prepare=_over_axes)
def any(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether an entry is not 0, over all or along axes."""
    return np.any(x, axis=axis, keepdims=keepdims)


@zero(flops=_read, prepare=_over_axes)
def all(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether no entry is 0, over all or along axes."""
    return np.all(x, axis=axis, keepdims=keepdims)


@zero(flops=_read, prepare=_over_axes)
def count_nonzero(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """How many entries are not 0, over all or along axes."""
    return np.count_nonzero(x, axis=axis, keepdims=keepdims)


@zero(flops=_read, prepare=_along)
def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The position of the largest entry, the first of equals; among all entries, or along an axis."""
    return np.argmax(x, axis=axis, keepdims=keepdims)


@zero(flops=_read, prepare=_along)
def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The position of the smallest entry, the first of equals; among all entries, or along an axis."""
    return np.argmin(x, axis=axis, keepdims=keepdims)


@zero(flops=lambda _y, x, *_: np.size(x) * max(1, int(np.size(x)).bit_length()), prepare=_sorting)
def argsort(x: Any, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Any:
    """Positions that sort along an axis, or all entries with ``axis=None``; equal entries stay in their order."""
    x = np.asarray(x)
    return _order(x.reshape(-1), -1, descending) if axis is None else _order(x, axis, descending)


def _order(x: np.ndarray[Any, Any], axis: int, descending: bool) -> np.ndarray[Any, Any]:
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # From behind, so that equals keep their order.
    turned: Any = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    falling: np.ndarray[Any, Any] = x.shape[axis] - 1 - np.flip(turned, axis)
    return falling


def _side(a: Any, b: Any, side: str = "left", sorter: Any = None) -> dict[str, Any]:
    return {
        "side": word("searchsorted: side", side, "left", "right"),
        "sorter": None if sorter is None else array(lift(sorter)._value),
    }


@zero(arrays=2, prepare=_side)
def searchsorted(a: Any, b: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where each entry of ``b`` would stand in the rising vector ``a``."""
    return np.searchsorted(a, b, side=side, sorter=sorter)  # type: ignore[call-overload]


def nonzero(x: Any) -> tuple[Tensor, ...]:
    """The positions of the entries that are not 0, an array of them for each axis."""
    found = np.asarray(lift(x)._value)
    if not found.ndim:
        raise ShapeError("nonzero: a number has no axis to point along; give it one with reshape(x, (1,))")
    return tuple(make(positions) for positions in np.nonzero(found))


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Where ``|a - b| <= atol + rtol * |b|``. Arguments as NumPy's."""
    near, step = number("isclose: rtol", rtol), number("isclose: atol", atol)
    return _is_close(a, b, near, step, flag("isclose: equal_nan", equal_nan))


@zero(arrays=2)
def _is_close(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """Where two values are nearly equal."""
    return np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all entries are close, as :func:`isclose` says. Arguments as NumPy's."""
    return bool(isclose(a, b, rtol, atol, equal_nan)._value.all())


def array_equal(a: Any, b: Any, equal_nan: bool = False) -> bool:
    """Whether shapes and all entries are equal. Arguments as NumPy's."""
    return bool(np.array_equal(np.asarray(lift(a)._value), np.asarray(lift(b)._value), flag("equal_nan", equal_nan)))


@linear(lambda g, _y, _x, *, dtype: g)  # the engine brings a cotangent back to its source's dtype
def _to_float(x: Any, dtype: Any) -> Any:
    """A conversion between floating dtypes."""
    return array(x).astype(dtype)


@zero()
def _to_whole(x: Any, dtype: Any) -> Any:
    """A conversion to whole numbers or truth values."""
    return array(x).astype(dtype)


def cast(x: Any, dtype: Any) -> Tensor:
    """The same values in another dtype.

    Parameters
    ----------
    x : Tensor or array_like
    dtype : dtype

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** Between floating dtypes it passes, in the source's dtype. To integers or truth values: None.

    Examples
    --------
    >>> ak.cast([1.7, -1.7], "int64").numpy()
    array([ 1, -1])
    """
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"cast: {said(dtype)} is no dtype; write 'float32', np.int64 or bool, for example") from error
    if kind.kind not in "biuf":
        raise DtypeError(f"cast to {kind} is not offered; floating, integer and bool dtypes are")
    x = lift(x)
    floating = kind.kind == "f" and x.dtype.kind == "f"
    return (_to_float if floating else _to_whole)(x, kind)
