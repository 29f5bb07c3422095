"""Sums, means, products, extremes and norms along axes. float16 is added up in float32."""

from __future__ import annotations

import builtins
import math
import warnings
from typing import Any

import numpy as np

from autodiff_kit.core.rules import general, linear, v
from autodiff_kit.core.tensor import Tensor, lift, plain
from autodiff_kit.ops.shaping import negative_axis

__all__ = ["cumprod", "cumsum", "logsumexp", "max", "mean", "min", "norm", "prod", "std", "sum", "var"]

Axis = int | tuple[int, ...] | None


def _axes(x: Any, axis: Axis = None, keepdims: bool = False) -> dict[str, Any]:
    """Axes as negative numbers: rules then do not mind axes in front."""
    if axis is None:
        found = tuple(range(-x.ndim, 0))
    else:
        found = tuple(negative_axis(a, x.ndim, "reduction") for a in ((axis,) if np.ndim(axis) == 0 else axis))  # type: ignore[union-attr]
    return {"axis": found, "keepdims": bool(keepdims)}


def _spread(g: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """A reduced value with its axes of length 1 back in place, so that it broadcasts."""
    return g if keepdims or not axis else v.expand_dims(g, axis=axis)


def _over(like: Any, axis: tuple[int, ...]) -> int:
    return int(np.prod([like.shape[a] for a in axis], dtype=np.int64))


def _add_up(x: Any, axis: Any, keepdims: bool) -> Any:
    x = np.asarray(x)
    if x.dtype == np.float16:
        return np.sum(x, axis=axis, keepdims=keepdims, dtype=np.float32).astype(np.float16)
    return np.sum(x, axis=axis, keepdims=keepdims)


@linear(
    lambda g, _y, _x, *, axis, keepdims: v.broadcast_to(_spread(g, axis, keepdims), shape=np.shape(_x)),
    prepare=_axes,
)
def sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum over axes; over all of them by default. The record holds no value."""
    return _add_up(x, axis, keepdims)


@linear(
    lambda g, _y, _x, *, axis, keepdims: v.broadcast_to(
        _spread(g, axis, keepdims) / builtins.max(_over(_x, axis), 1), shape=np.shape(_x)
    ),
    prepare=_axes,
)
def mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean over axes; of nothing it is nan, as NumPy's. The record holds no value."""
    x = np.asarray(x)
    return np.mean(x, axis=axis, keepdims=keepdims, dtype=np.float64 if x.dtype.kind in "iub" else None)


def var(x: Any, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The variance over axes.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or tuple of int, optional
    ddof : float, optional
        What is taken from the count before dividing.
    keepdims : bool, optional

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** The path through the mean adds nothing, since deviations sum to 0, and is recorded all the same.

    Examples
    --------
    >>> float(ak.var([1.0, 2.0, 3.0, 4.0]))
    1.25
    """
    t = lift(x)
    away = t - mean(t, axis, True)
    count = _over(t, _axes(t, axis)["axis"]) - ddof
    return sum(away * away, axis, keepdims) * _share(count)


def std(x: Any, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation over axes; of equal values it is 0, with gradient 0."""
    t = lift(x)
    away = t - mean(t, axis, True)
    count = _over(t, _axes(t, axis)["axis"]) - ddof
    return norm(away, axis=axis, keepdims=keepdims) * math.sqrt(_share(count))


def _share(count: float) -> float:
    """One over a count, nan with a warning where nothing is left to divide by, as NumPy's."""
    if count > 0:
        return 1.0 / count
    warnings.warn("degrees of freedom are 0 or less: the variance is nan", RuntimeWarning, stacklevel=3)
    return float("nan")


# -------------------------------------------------------------------------------- products
def _others_plain(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each entry of the last axis, the product of all the others: before times after, no division."""
    ones = np.ones_like(x[..., :1])
    before = np.cumprod(np.concatenate([ones, x[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([ones, x[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after


def _others(x: Any) -> Any:
    if type(x) is not Tensor:
        return _others_plain(np.asarray(x))
    # On the record: each row with the entry itself replaced by 1, multiplied up; that can be differentiated again.
    rows = v.expand_dims(x, axis=(-2,))
    return v.prod(v.select(1.0, rows, condition=np.eye(x.shape[-1], dtype=bool)), axis=(-1,), keepdims=False)


def _prod_slope(x: Any, axis: tuple[int, ...]) -> Any:
    """d prod / dx in the shape of x."""
    n = np.ndim(plain(x))
    if not n or not axis:
        return np.ones_like(plain(x))
    rest = [a for a in range(-n, 0) if a not in axis]
    order = (*rest, *axis)
    moved = v.permute_dims(x, axes=order)
    shape = np.shape(plain(moved))
    flat = v.reshape(moved, shape=(*shape[: len(rest)], _over(plain(x), axis)), ndim=n)
    back = v.reshape(_others(flat), shape=shape, ndim=len(rest) + 1)
    return v.permute_dims(back, axes=tuple(int(k) - n for k in np.argsort([a + n for a in order])))


@general(
    lambda g, _y, x, *, axis, keepdims: _spread(g, axis, keepdims) * _prod_slope(x, axis),
    jvp=lambda t, y, x, *, axis, keepdims: v.sum(t[0] * _prod_slope(x, axis), axis=axis, keepdims=keepdims),
    prepare=_axes,
)
def prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product over axes. The gradient divides by nothing, so zeros are harmless, to any order."""
    return np.prod(np.asarray(x), axis=axis, keepdims=keepdims)


@linear(
    lambda g, _y, _x, *, axis: _reversed(v.cumsum(_reversed(g, axis), axis=axis), axis),
    prepare=lambda x, axis=-1: {"axis": negative_axis(axis, x.ndim, "cumsum")},
)
def cumsum(x: Any, axis: int = -1) -> Any:
    """Running sums along an axis."""
    return np.cumsum(x, axis=axis)


def _reversed(x: Any, axis: int) -> Any:
    return x[(Ellipsis, slice(None, None, -1), *(slice(None),) * (-axis - 1))]


def cumprod(x: Any, axis: int = -1) -> Tensor:
    """Running products along an axis; like :func:`prod` it divides by nothing. Cost: n² for n entries."""
    x = lift(x)
    place = negative_axis(axis, x.ndim, "cumprod")
    n = x.shape[place]
    last = x if place == -1 else x.swapaxes(place, -1)
    lower = np.tril(np.ones((n, n), bool))
    rows: Tensor = prod(v.select(v.expand_dims(last, axis=(-2,)), 1.0, condition=lower), -1)
    return rows if place == -1 else rows.swapaxes(place, -1)


# -------------------------------------------------------------------------------- extremes and the rest
def _ties(x: Any, y: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """1 at the extreme entries, shared evenly; a constant, since it does not change nearby."""
    x, y = np.asarray(plain(x)), np.asarray(plain(y))
    y = y if keepdims or not axis else np.expand_dims(y, axis)
    equal = (x == y) | (np.isnan(x) & np.isnan(y))
    share = equal / np.maximum(equal.sum(axis=axis, keepdims=True), 1)
    return share.astype(x.dtype, copy=False)


def _extreme_pull(g: Any, y: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    return _spread(g, axis, keepdims) * _ties(x, y, axis, keepdims)


def _extreme_push(t: Any, y: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    return v.sum(t[0] * _ties(x, y, axis, keepdims), axis=axis, keepdims=keepdims)


@general(_extreme_pull, jvp=_extreme_push, prepare=_axes)
def max(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest entry over axes; equal ones share the gradient evenly."""
    return np.max(x, axis=axis, keepdims=keepdims)


@general(_extreme_pull, jvp=_extreme_push, prepare=_axes)
def min(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest entry over axes; equal ones share the gradient evenly."""
    return np.min(x, axis=axis, keepdims=keepdims)


def _weights(x: Any, y: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """exp(x - y): the softmax; 0 where everything is minus infinity."""
    y = _spread(y, axis, keepdims)
    alive = np.asarray(plain(y)) != -np.inf
    return v.select(v.exp(x - v.select(y, 0.0, condition=alive)), 0.0, condition=alive)


@general(
    lambda g, y, x, *, axis, keepdims: _spread(g, axis, keepdims) * _weights(x, y, axis, keepdims),
    jvp=lambda t, y, x, *, axis, keepdims: v.sum(t[0] * _weights(x, y, axis, keepdims), axis=axis, keepdims=keepdims),
    prepare=_axes,
)
def logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """``log(sum(exp(x)))`` without overflow; of nothing but -inf it is -inf, with gradient 0."""
    x = np.asarray(x)
    top = np.max(x, axis=axis, keepdims=True) if x.size else np.zeros(())
    shift = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    with np.errstate(divide="ignore"):
        y = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    return y if keepdims else np.squeeze(y, axis)


def _unit(x: Any, y: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """x / |x|, and 0 at the origin."""
    y = _spread(y, axis, keepdims)
    away = np.asarray(plain(y)) != 0
    return v.select(x / v.select(y, 1.0, condition=away), 0.0, condition=away)


@general(
    lambda g, y, x, *, axis, keepdims: _spread(g, axis, keepdims) * _unit(x, y, axis, keepdims),
    jvp=lambda t, y, x, *, axis, keepdims: v.sum(t[0] * _unit(x, y, axis, keepdims), axis=axis, keepdims=keepdims),
    prepare=_axes,
)
def _norm2(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The Euclidean length."""
    return np.sqrt(_add_up(np.square(np.asarray(x)), axis, keepdims))


def norm(x: Any, ord: float = 2, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The length of a vector, over axes or over all entries.

    Parameters
    ----------
    x : Tensor or array_like
    ord : {2, 1, inf}, optional
    axis : int or tuple of int, optional
    keepdims : bool, optional

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** At the origin 0 in every norm, the smallest subgradient; equal largest entries share.

    Examples
    --------
    >>> float(ak.norm([3.0, 4.0]))
    5.0
    """
    from autodiff_kit.errors import StructureError

    out: Tensor
    if ord == 2:
        out = _norm2(x, axis, keepdims)
    elif ord == 1:
        out = sum(lift(x).abs(), axis, keepdims)
    elif ord == np.inf:
        out = max(lift(x).abs(), axis, keepdims)
    else:
        raise StructureError(f"norm: ord is 1, 2 or inf, not {ord!r}")
    return out
