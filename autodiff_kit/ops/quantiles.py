"""Quantiles, percentiles and medians, with and without nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array
from autodiff_kit.core.validation import check_choice, check_flag
from autodiff_kit.errors import DtypeError, RangeError, ShapeError
from autodiff_kit.ops.axes import Axis, normalize_axes, reduced_size
from autodiff_kit.ops.creation import full
from autodiff_kit.ops.indexing import take_along_axis
from autodiff_kit.ops.promotion import as_floating
from autodiff_kit.ops.reductions import mean
from autodiff_kit.ops.shape_manipulation import permute_dims, reshape

_METHODS: dict[str, Any] = {
    "linear": lambda part: part,
    "lower": lambda part: 0.0 * part,
    "higher": np.ceil,
    "nearest": None,
    "midpoint": lambda part: 0.5 * np.ceil(part),
}


def _neighbour_positions(place: Any, method: str) -> tuple[Any, Any, Any]:
    """The two positions between which a quantile lies, and the weight of the second."""
    low = np.floor(place)
    part = np.round(place) - low if method == "nearest" else _METHODS[method](place - low)
    return low.astype(np.intp), np.where(part > 0, low + 1, low).astype(np.intp), part


def _quantile(x: Any, q: Any, axis: Axis, method: str, keepdims: bool, skip: bool) -> Tensor:
    check_choice("quantile: method", method, *_METHODS)
    keepdims = check_flag("quantile: keepdims", keepdims)
    picks = method in ("lower", "higher", "nearest")  # these methods only pick entries
    whole = picks and as_tensor(x).dtype.kind in "iu"
    t, wanted = as_tensor(x) if whole else as_floating(x), _checked_quantiles(q)
    if wanted.size and not (wanted.min() >= 0 and wanted.max() <= 1):
        raise RangeError(f"quantile: q must be between 0 and 1 (a percentile between 0 and 100), got {q}")
    axes = normalize_axes(t, axis)["axis"]
    rest = tuple(k for k in range(-t.ndim, 0) if k not in axes)
    outer = tuple(t.shape[k] for k in rest)
    n = reduced_size(t, axes)
    if not n and skip:
        return full(wanted.shape + (_shape_with_unit_axes(t, axes) if keepdims else outer), np.nan, t.dtype)
    if not n:
        raise ShapeError(f"quantile of shape {t.shape}: the value has no entries")
    rows = reshape(permute_dims(t, (*rest, *axes)), (*outer, n))
    values = as_array(rows._value)
    order, absent = np.argsort(values, axis=-1, kind="stable"), np.isnan(values)
    count = n - absent.sum(-1) if skip else np.full(outer, n)
    place = wanted.reshape(-1) * (np.maximum(count, 1) - 1)[..., None]
    low, high, part = _neighbour_positions(place, method)
    first, second = (take_along_axis(rows, np.take_along_axis(order, k, -1), -1) for k in (low, high))
    found = _interpolate(first, second, high != low, part.astype(t.dtype))
    if not skip and not whole:
        found = v.select(np.full((), np.nan, t.dtype), found, condition=absent.any(-1)[..., None])
    back = reshape(permute_dims(found, (found.ndim - 1, *range(found.ndim - 1))), wanted.shape + outer)
    if not keepdims:
        return back
    return reshape(back, wanted.shape + _shape_with_unit_axes(t, axes))


def _shape_with_unit_axes(t: Tensor, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with length 1 in place of the reduced axes."""
    return tuple(1 if k in axes else t.shape[k] for k in range(-t.ndim, 0))


def _interpolate(a: Tensor, b: Tensor, differ: Any, share: Any) -> Tensor:
    """``a + (b - a) * share``; next to an infinity, whose differences are nan, as a weighted sum."""
    if a.dtype.kind != "f":
        return v.select(b, a, condition=share > 0)  # type: ignore[no-any-return]
    apart = v.select(b - a, 0.0, condition=differ)
    weighed = a * (1.0 - share) + b * share
    mixed: Tensor = v.select(a + apart * share, weighed, condition=np.isfinite(as_array(apart._value)))
    return mixed


def _checked_quantiles(q: Any) -> Any:
    """The requested quantiles as an array of float64."""
    try:
        return np.asarray(unwrap(q), np.float64)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"quantile: q must be a number or an array of numbers, got {q!r}") from error


def quantile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """The quantile ``q`` of the entries over axes.

    Parameters
    ----------
    x : Tensor or array_like
    q : float or array_like
        Between 0 and 1; the axes of ``q`` come first in the result.
    axis : int or tuple of int, optional
    method : {"linear", "lower", "higher", "nearest", "midpoint"}, optional
        How to choose a value between two entries.
    keepdims : bool, optional

    Returns
    -------
    Tensor

    Raises
    ------
    RangeError
        If ``q`` is not between 0 and 1.
    ShapeError
        If there are no entries.

    Notes
    -----
    **Gradient.** To the one or two entries between which the result lies; ``q`` gets none.

    Examples
    --------
    >>> float(ak.quantile([1.0, 2.0, 4.0], 0.75))
    3.0
    """
    return _quantile(x, q, axis, method, keepdims, False)


def percentile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """The percentile ``q`` of the entries: :func:`quantile` with ``q`` between 0 and 100.

    Arguments as NumPy's.
    """
    return _quantile(x, _percent_to_share(q), axis, method, keepdims, False)


def _percent_to_share(q: Any) -> Any:
    """Percentages divided by 100."""
    try:
        return np.true_divide(np.asarray(unwrap(q)), 100.0)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"percentile: q must be a number between 0 and 100, got {q!r}") from error


def median(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The median over axes: the middle entry, or the mean of the two in the middle. Arguments as NumPy's."""
    return _median(x, axis, keepdims, False)


def _median(x: Any, axis: Axis, keepdims: bool, skip: bool) -> Tensor:
    """The median over axes, with or without nan."""
    t = as_tensor(x)
    if not reduced_size(t, normalize_axes(t, axis)["axis"]):
        return mean(t, axis, keepdims)  # nan with NumPy's warning
    return _quantile(t, 0.5, axis, "linear", keepdims, skip)


def nanquantile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """The quantile ``q`` over axes, ignoring nan. Arguments as NumPy's."""
    return _quantile(x, q, axis, method, keepdims, True)


def nanpercentile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Tensor:
    """The percentile ``q`` over axes, ignoring nan. Arguments as NumPy's."""
    return _quantile(x, _percent_to_share(q), axis, method, keepdims, True)


def nanmedian(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The median over axes, ignoring nan. Arguments as NumPy's."""
    return _median(x, axis, keepdims, True)
