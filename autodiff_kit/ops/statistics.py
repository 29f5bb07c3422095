"""Statistics over axes: variance, averages, covariance, and reductions that ignore nan."""

from __future__ import annotations

import builtins
import math
import warnings
from typing import Any

import numpy as np

from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array, concrete_only
from autodiff_kit.core.validation import check_flag, check_number
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.ops.axes import Axis, normalize_axes, reduced_size
from autodiff_kit.ops.cumulative import cumprod, cumsum
from autodiff_kit.ops.matrix_products import matmul
from autodiff_kit.ops.norms import vector_norm
from autodiff_kit.ops.promotion import as_floating
from autodiff_kit.ops.reductions import max, mean, min, prod, sum
from autodiff_kit.ops.shape_manipulation import broadcast_to, permute_dims, reshape


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
    away = t - mean(t, axis, True)
    return _scale_without_warning(
        sum(away * away, axis, keepdims), _inverse_count(t, axis, ddof if correction is None else correction)
    )


def std(x: Any, axis: Axis = None, ddof: float = 0, keepdims: bool = False, correction: float | None = None) -> Tensor:
    """The standard deviation over axes, the square root of :func:`var`.

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
    count = reduced_size(t, normalize_axes(t, axis)["axis"]) - check_number("ddof", ddof)
    if count > 0:
        return 1.0 / count
    warnings.warn("the degrees of freedom are 0 or negative, so the variance is nan", RuntimeWarning, stacklevel=3)
    return math.inf


def _scale_without_warning(total: Tensor, share: float) -> Tensor:
    with np.errstate(invalid="ignore"):  # 0 * inf; the warning was already given
        return total * share


def ptp(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The range, maximum minus minimum, over axes; equal entries share the gradient. Arguments as NumPy's."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def average(x: Any, axis: Axis = None, weights: Any = None, returned: bool = False, keepdims: bool = False) -> Any:
    """The weighted average over axes.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or tuple of int, optional
    weights : Tensor or array_like, optional
        In the shape of ``x``, or of the averaged axes; by default all equal.
    returned : bool, optional
        Whether to return the sum of the weights as well.
    keepdims : bool, optional

    Returns
    -------
    Tensor, or a pair of Tensor
        The average, and on request the sum of the weights.

    Raises
    ------
    ShapeError
        If the weights do not fit.
    StructureError
        If weights sum to 0. A compiled function does not check: there the result is not finite.

    Examples
    --------
    >>> float(ak.average([1.0, 2.0], weights=[3.0, 1.0]))
    1.25
    """
    t = as_tensor(x)
    axes = normalize_axes(t, axis)["axis"]
    w = _broadcast_weights(t, axes, axis, weights)
    total = sum(w, axes, keepdims)
    _check_weights(total._value)
    out = sum(t * w, axes, keepdims) / total if weights is not None else mean(t, axes, keepdims)
    return (out, total) if check_flag("average: returned", returned) else out


@concrete_only
def _check_weights(total: Any) -> None:
    """Raise where the weights sum to 0."""
    if not np.all(total):
        raise StructureError("average: the weights sum to 0, so the average is undefined")


def _broadcast_weights(t: Tensor, axes: tuple[int, ...], axis: Axis, weights: Any) -> Tensor:
    """The weights in the shape of the values."""
    if weights is None:
        return broadcast_to(np.ones((), t.dtype if t.dtype.kind == "f" else np.float64), t.shape)
    w = as_tensor(weights)
    if w.shape == t.shape:
        return w
    inner = tuple(t.shape[a] for a in axes)
    if axis is None or w.shape != inner:
        raise ShapeError(f"average: weights of shape {w.shape} fit neither {t.shape} nor the averaged axes {inner}")
    order = sorted(range(len(axes)), key=lambda k: axes[k])
    return broadcast_to(
        reshape(permute_dims(w, order), [t.shape[k] if k in axes else 1 for k in range(-t.ndim, 0)]), t.shape
    )


# -------------------------------------------------------------------------------- reductions that ignore nan
def _replace_nan(x: Any, fill: float) -> tuple[Tensor, Any]:
    """The value with ``fill`` in place of nan, and where it was not nan."""
    t = as_tensor(x)
    if t.dtype.kind != "f":
        return t, np.ones(t.shape, bool)
    present = ~np.isnan(t._value)
    return v.select(t, np.asarray(fill, t.dtype), condition=present), present


def _count_present(present: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return np.sum(present, axis=axes, keepdims=check_flag("keepdims", keepdims))


def nansum(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The sum over axes, ignoring nan. Arguments as NumPy's."""
    return sum(_replace_nan(x, 0)[0], axis, keepdims)


def nanprod(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The product over axes, ignoring nan. Arguments as NumPy's."""
    return prod(_replace_nan(x, 1)[0], axis, keepdims)


def nancumsum(x: Any, axis: int | None = None) -> Tensor:
    """The cumulative sum, with nan as 0."""
    return cumsum(_replace_nan(x, 0)[0], axis)


def nancumprod(x: Any, axis: int | None = None) -> Tensor:
    """The cumulative product, with nan as 1."""
    return cumprod(_replace_nan(x, 1)[0], axis)


def nanmean(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The mean over axes, ignoring nan; nan with a warning if all entries are nan. Arguments as NumPy's."""
    t, present = _replace_nan(x, 0)
    axes = normalize_axes(t, axis)["axis"]
    return _divide_by_count(sum(t, axes, keepdims), _count_present(present, axes, keepdims))


def _divide_by_count(total: Tensor, count: Any) -> Tensor:
    """A sum divided by a count; nan, with a warning, where the count is 0."""
    _warn_if_empty(count)
    kind = total.dtype if total.dtype.kind == "f" else np.dtype(np.float64)
    return total / np.where(as_array(count) > 0, count, np.nan).astype(kind)


@concrete_only
def _warn_if_empty(count: Any) -> None:
    if np.any(count <= 0):
        warnings.warn(
            "degrees of freedom are 0 or less, or all entries are nan: the result is nan", RuntimeWarning, stacklevel=5
        )


def nanvar(x: Any, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The variance over axes, ignoring nan. Arguments as NumPy's."""
    away, axes, count = _nan_deviations(x, axis, ddof, keepdims)
    return _divide_by_count(sum(away * away, axes, keepdims), count)


def nanstd(x: Any, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation over axes, ignoring nan; for equal values it is 0, with gradient 0.

    Arguments as NumPy's.
    """
    away, axes, count = _nan_deviations(x, axis, ddof, keepdims)
    return _divide_by_count(vector_norm(away, axes, keepdims), np.sqrt(count))


def _nan_deviations(x: Any, axis: Axis, ddof: float, keepdims: bool) -> tuple[Tensor, tuple[int, ...], Any]:
    """The values minus their mean without nan, the axes, and the counts minus ``ddof``, at least 0."""
    t, present = _replace_nan(as_floating(x), 0)
    axes = normalize_axes(t, axis)["axis"]
    middle = sum(t, axes, True) / np.maximum(_count_present(present, axes, True), 1).astype(t.dtype)
    count = np.maximum(_count_present(present, axes, keepdims) - check_number("ddof", ddof), 0)
    return v.select(t - middle, 0.0, condition=present), axes, count


def _nan_extreme(best: Any, x: Any, axis: Axis, keepdims: bool, worst: float) -> Tensor:
    """The maximum or minimum that ignores nan."""
    t = as_tensor(x)
    axes = normalize_axes(t, axis)["axis"]
    filled, present = _replace_nan(t, worst)
    found: Tensor = best(filled, axes, keepdims)
    if t.dtype.kind != "f":
        return found
    some = _count_present(present, axes, keepdims)
    _warn_if_empty(some)
    missing: Tensor = v.select(found, np.full((), np.nan, t.dtype), condition=as_array(some) > 0)
    return missing


def nanmax(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The maximum over axes, ignoring nan. Arguments as NumPy's."""
    return _nan_extreme(max, x, axis, keepdims, -math.inf)


def nanmin(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The minimum over axes, ignoring nan. Arguments as NumPy's."""
    return _nan_extreme(min, x, axis, keepdims, math.inf)


def cov(x: Any, rowvar: bool = True, ddof: float = 1) -> Tensor:
    """The covariance matrix of variables.

    Parameters
    ----------
    x : Tensor or array_like
        A row for each variable, a column for each observation.
    rowvar : bool, optional
        False if each column is a variable.
    ddof : float, optional
        Subtracted from the number of observations before dividing.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> ak.cov([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]).numpy()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    t = as_floating(x)
    if t.ndim > 2:
        raise ShapeError(f"cov takes a matrix or a vector, got shape {t.shape}")
    rows = t.reshape((1, -1)) if t.ndim < 2 else t if check_flag("cov: rowvar", rowvar) else t.T
    away = rows - mean(rows, 1, True)
    count = builtins.max(rows.shape[1] - check_number("cov: ddof", ddof), 0.0)
    found = matmul(away, away.T) * float(1.0 / np.float64(count))
    return found[0, 0] if rows.shape[0] == 1 else found


def corrcoef(x: Any, rowvar: bool = True) -> Tensor:
    """The correlation coefficients of variables, between -1 and 1; see :func:`cov`."""
    c = cov(x, rowvar)
    if not c.ndim:
        return c / c
    k = np.arange(c.shape[0])
    spread = c[k, k] ** 0.5
    return c / spread[:, None] / spread
