"""Rounding, signs and step functions, none of which has a gradient.

Their gradient is None, not zero. :mod:`autodiff_kit.nn.relax` has smooth approximations with a gradient, and
``gradient_override_map`` can give each of them the gradient of another operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.validation import check_integer
from autodiff_kit.ops.families import nondifferentiable


@nondifferentiable()
def floor(x: Any) -> Any:
    """Round down to the nearest integer. No gradient: None."""
    return np.floor(x)


@nondifferentiable()
def ceil(x: Any) -> Any:
    """Round up to the nearest integer. No gradient: None."""
    return np.ceil(x)


@nondifferentiable()
def _round(x: Any) -> Any:
    """Round to the nearest integer, halves to even."""
    return np.round(x)


@nondifferentiable()
def rint(x: Any) -> Any:
    """Round to the nearest integer, halves to even; floating also for integers. No gradient: None."""
    return np.rint(x)


@nondifferentiable()
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
    places = check_integer("round: decimals", decimals)
    return _round_to(x, places) if places else _round(x)


@nondifferentiable()
def trunc(x: Any) -> Any:
    """Round towards 0. No gradient: None."""
    return np.trunc(x)


@nondifferentiable()
def sign(x: Any) -> Any:
    """The sign: -1, 0 or 1. No gradient: None."""
    return np.sign(x)


@nondifferentiable(arrays=2)
def floor_divide(a: Any, b: Any) -> Any:
    """Quotient rounded down, ``floor(a / b)``. No gradient: None."""
    return np.floor_divide(a, b)
