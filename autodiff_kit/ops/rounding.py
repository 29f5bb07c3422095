"""What has no slope: rounding, comparison, conversion to whole numbers, positions.

Gradients end at these operations, as None and never as a silent zero; :mod:`autodiff_kit.nn.relax` offers stand-ins
that have one, and an override map can give each of them another operation's gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import zero
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.validation import whole


@zero()
def floor(x: Any) -> Any:
    """The largest whole number that is not above ``x``. No gradient: None."""
    return np.floor(x)


@zero()
def ceil(x: Any) -> Any:
    """The smallest whole number that is not below ``x``. No gradient: None."""
    return np.ceil(x)


@zero()
def _round(x: Any) -> Any:
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
    return _round_to(x, places) if places else _round(x)


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


Axis = int | tuple[int, ...] | None
