"""What has no slope: rounding, comparison, conversion to whole numbers, positions.

Gradients end at these operations, as None and never as a silent zero; :mod:`autodiff_kit.relax` offers stand-ins that
have one, and an override map can give each of them another operation's gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.rules import linear, zero
from autodiff_kit.core.tensor import Tensor, lift
from autodiff_kit.errors import DtypeError

__all__ = [
    "argmax", "argmin", "argsort", "cast", "ceil", "equal", "floor", "floor_divide", "greater", "greater_equal",
    "isfinite", "isinf", "isnan", "less", "less_equal", "logical_and", "logical_not", "logical_or", "not_equal",
    "round", "sign", "trunc",
]  # fmt: skip


@zero()
def floor(x: Any) -> Any:
    """The largest whole number that is not above ``x``. No gradient: None."""
    return np.floor(x)


@zero()
def ceil(x: Any) -> Any:
    """The smallest whole number that is not below ``x``. No gradient: None."""
    return np.ceil(x)


@zero()
def round(x: Any) -> Any:
    """The nearest whole number; halves go to the even one, as NumPy's. No gradient: None."""
    return np.round(x)


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


@zero()
def argmax(x: Any, axis: int | None = None) -> Any:
    """The position of the largest entry, the first of equals."""
    return np.argmax(x, axis=axis)


@zero()
def argmin(x: Any, axis: int | None = None) -> Any:
    """The position of the smallest entry, the first of equals."""
    return np.argmin(x, axis=axis)


@zero()
def argsort(x: Any, axis: int = -1) -> Any:
    """Positions that sort, stable."""
    return np.argsort(x, axis=axis, kind="stable")


@linear(lambda g, _y, _x, *, dtype: g)  # the engine brings a cotangent back to its source's dtype
def _to_float(x: Any, dtype: Any) -> Any:
    """A conversion between floating dtypes."""
    return np.asarray(x).astype(dtype)


@zero()
def _to_whole(x: Any, dtype: Any) -> Any:
    """A conversion to whole numbers or truth values."""
    return np.asarray(x).astype(dtype)


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
    kind = np.dtype(dtype)
    if kind.kind not in "biuf":
        raise DtypeError(f"cast to {kind} is not offered; floating, integer and bool dtypes are")
    x = lift(x)
    floating = kind.kind == "f" and x.dtype.kind == "f"
    return (_to_float if floating else _to_whole)(x, kind)
