"""Rounding, signs and step functions, none of which has a gradient.

The gradient through them is None, not zero. :mod:`autodiff_kit.nn.relax` has smooth approximations with a gradient, and
``gradient_override_map`` can give each of them the gradient of another operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.operation import zero
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.validation import whole


@zero()
def floor(x: Any) -> Any:
    """Round down to the nearest integer. No gradient: None."""
    return np.floor(x)


@zero()
def ceil(x: Any) -> Any:
    """Round up to the nearest integer. No gradient: None."""
    return np.ceil(x)


@zero()
def _round(x: Any) -> Any:
    """Round to the nearest integer, halves to even."""
    return np.round(x)


@zero()
def rint(x: Any) -> Any:
    """Round to the nearest integer, halves to even; floating also for integers. No gradient: None."""
    return np.rint(x)


@zero()
def _round_to(x: Any, decimals: int) -> Any:
    """Round to a number of decimals."""
    return np.round(x, decimals)


def round(x: Any, decimals: int = 0) -> Tensor:
    """Round to the nearest integer or to a number of decimals, halves to even. No gradient: None.

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
    """Round towards 0. No gradient: None."""
    return np.trunc(x)


@zero()
def sign(x: Any) -> Any:
    """The sign: -1, 0 or 1. No gradient: None."""
    return np.sign(x)


@zero(arrays=2)
def floor_divide(a: Any, b: Any) -> Any:
    """Quotient rounded down, ``floor(a / b)``. No gradient: None."""
    return np.floor_divide(a, b)


@zero(arrays=2)
def heaviside(a: Any, b: Any) -> Any:
    """The Heaviside step function: 0 below 0, 1 above, and ``b`` at 0. No gradient: None."""
    return np.heaviside(a, b)


@zero(arrays=2)
def nextafter(a: Any, b: Any) -> Any:
    """The next floating-point number after ``a`` towards ``b``. No gradient: None."""
    return np.nextafter(a, b)


@zero()
def signbit(x: Any) -> Any:
    """Whether the sign bit is set, also of -0.0."""
    return np.signbit(x)


Axis = int | tuple[int, ...] | None
