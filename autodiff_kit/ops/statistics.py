"""Statistics over axes: variance, averages, covariance, and reductions that ignore nan."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor
from autodiff_kit.ops.axes import Axis, normalize_axes, reduced_size
from autodiff_kit.ops.docstrings import sections_of
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.norms import vector_norm
from autodiff_kit.ops.number_parameters import check_number
from autodiff_kit.ops.promotion import as_floating
from autodiff_kit.ops.reductions import mean, sum


def var(x: Any, axis: Axis = None, ddof: float = 0, keepdims: bool = False, correction: float | None = None) -> Tensor:
    """The variance over axes.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or tuple of int, optional
    ddof : float, optional
        Subtracted from the count before dividing.
    keepdims : bool, optional
    correction : float, optional
        Another name for ``ddof``.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The path through the mean adds nothing, because deviations sum to 0; it is recorded for higher orders.

    Examples
    --------
    >>> float(ak.var([1.0, 2.0, 3.0, 4.0]))
    1.25
    """
    t = as_floating(x)
    if t.dtype == np.float16:  # squares of which the mean fits may be too large themselves
        return cast(var(cast(t, np.float32), axis, ddof, keepdims, correction), np.float16)
    away = t - mean(t, axis, True)
    return _scale_without_warning(
        sum(away * away, axis, keepdims), _inverse_count(t, axis, ddof if correction is None else correction)
    )


@sections_of(var)
def std(x: Any, axis: Axis = None, ddof: float = 0, keepdims: bool = False, correction: float | None = None) -> Tensor:
    """The standard deviation over axes, the square root of :func:`var`.

    Notes
    -----
    **Gradient.** For equal values it is 0, although the derivative of the root is infinite there.

    Examples
    --------
    >>> float(ak.std([1.0, 1.0, 3.0, 3.0]))
    1.0
    """
    t = as_floating(x)
    away = t - mean(t, axis, True)
    share = _inverse_count(t, axis, ddof if correction is None else correction)
    return _scale_without_warning(vector_norm(away, axis, keepdims), math.sqrt(share))


def _inverse_count(t: Tensor, axis: Axis, ddof: float) -> float:
    """One over the number of entries minus ``ddof``; infinite, with a warning, if that is not positive, as in
    NumPy.
    """
    count = reduced_size(t, normalize_axes("var", t, axis)["axis"]) - check_number("ddof", ddof)
    if count > 0:
        return 1.0 / count
    warnings.warn("the degrees of freedom are 0 or negative, so the variance is nan", RuntimeWarning, stacklevel=3)
    return math.inf


def _scale_without_warning(total: Tensor, share: float) -> Tensor:
    with np.errstate(invalid="ignore"):  # 0 * inf; the warning was already given
        return total * share
