"""Reductions over axes: sum, mean, product, maximum, minimum, logsumexp. float16 is summed in float32."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tracer import as_array
from autodiff_kit.ops.axes import Axis, axes_of, reduced_size, restore_axes
from autodiff_kit.ops.families import general, linear
from autodiff_kit.ops.in_place import is_plain, loop_over_axes, on_temporary
from autodiff_kit.ops.promotion import _add_reduce, floating_array, sum_values


def _sum_vjp(g: Any, like: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The cotangent of a sum, in a shape that broadcasts to that of the input."""
    return g if len(axis) == len(like.shape) else v.broadcast_to(restore_axes(g, axis, keepdims), shape=like.shape)


@linear(lambda g, _y, _x, *, axis, keepdims: _sum_vjp(g, _x, axis, keepdims), prepare=axes_of("sum"), counts=True)
def sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum over axes, by default over all of them. The tape saves no value."""
    return sum_values(x, axis, keepdims)


_LARGEST_FLOAT16 = 65504


def _mean_vjp(g: Any, like: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The cotangent of a mean; a count that is infinite in float16 divides as a factor, which is finite there."""
    count = builtins.max(reduced_size(like, axis), 1)
    share = g * (1.0 / count) if count > _LARGEST_FLOAT16 and like.dtype == np.float16 else g / count
    return _sum_vjp(share, like, axis, keepdims)


@linear(
    lambda g, _y, _x, *, axis, keepdims: _mean_vjp(g, _x, axis, keepdims),
    prepare=axes_of("mean"),
    flops_back=lambda y, _x, *, asked: np.size(y) * len(asked),
)
def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean over axes; nan for no entries, as in NumPy. The tape saves no value."""
    x = as_array(x)
    if x.dtype.char in "fd" and (count := reduced_size(x, axis)):
        return _add_reduce(x, axis=axis, keepdims=keepdims) / x.dtype.type(count)
    return np.mean(x, axis=axis, keepdims=keepdims, dtype=np.float64 if x.dtype.kind in "iub" else None)


# -------------------------------------------------------------------------------- products
def _product_of_others_array(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each entry of the last axis the product of all others: those before times those after, without a division."""
    ones = np.ones_like(x[..., :1])
    before = np.cumprod(np.concatenate([ones, x[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([ones, x[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after


def _product_of_others(x: Any) -> Any:
    """For each entry of the last axis the product of all others; recorded if the input is recorded."""
    if not isinstance(x, Value):
        return _product_of_others_array(as_array(x))
    # Recorded, so that it can be differentiated again: the product of each row with the entry itself replaced by 1.
    rows = v.expand_dims(x, axis=(-2,))
    return v.prod(v.select(1.0, rows, condition=np.eye(x.shape[-1], dtype=bool)), axis=(-1,), keepdims=False)


def _prod_derivative(x: Any, axis: tuple[int, ...]) -> Any:
    """The derivative of prod, in the shape of x."""
    n = np.ndim(unwrap(x))
    if not n or not axis:
        return np.ones_like(unwrap(x))
    rest = [a for a in range(-n, 0) if a not in axis]
    order = (*rest, *axis)
    moved = v.permute_dims(x, axes=order)
    shape = np.shape(unwrap(moved))
    flat = v.reshape(moved, shape=(*shape[: len(rest)], reduced_size(unwrap(x), axis)), ndim=n)
    back = v.reshape(_product_of_others(flat), shape=shape, ndim=len(rest) + 1)
    return v.permute_dims(back, axes=tuple(int(k) - n for k in np.argsort([a + n for a in order])))


@general(
    lambda g, _y, x, *, axis, keepdims: restore_axes(g, axis, keepdims) * _prod_derivative(x, axis),
    jvp=lambda t, y, x, *, axis, keepdims: v.sum(t[0] * _prod_derivative(x, axis), axis=axis, keepdims=keepdims),
    prepare=axes_of("prod"),
    counts=True,
)
def prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product over axes. The gradient needs no division, so zeros are allowed, to any order."""
    x = as_array(x)
    if x.dtype == np.float16:
        return np.prod(x, axis=axis, keepdims=keepdims, dtype=np.float32).astype(np.float16)
    return np.prod(x, axis=axis, keepdims=keepdims)


# -------------------------------------------------------------------------------- extremes and logsumexp
_maximum_reduce: Any = np.maximum.reduce


def _extreme_weights(x: Any, y: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """1 at the extreme entries, shared evenly among equal ones; a constant in derivatives."""
    x, y = as_array(unwrap(x)), restore_axes(as_array(unwrap(y)), axis, keepdims)
    equal = x == y
    if type(equal) is np.ndarray and np.count_nonzero(equal) == y.size == np.count_nonzero(y == y):
        return equal.astype(x.dtype)  # one for each result: nothing is shared
    # float16 cannot count beyond 2,048.
    exact = x.dtype if x.dtype.char in "fd" else np.result_type(x.dtype, np.float32)
    equal = equal.astype(exact)
    count = _add_reduce(equal, axis=axis, keepdims=True)
    if type(count) is not np.ndarray or not count.all():  # only a nan differs from itself
        equal = ((x == y) | (np.isnan(x) & np.isnan(y))).astype(exact)
        count = _add_reduce(equal, axis=axis, keepdims=True)
    return on_temporary(np.divide, equal, count).astype(x.dtype, copy=False)


def _extreme_vjp(g: Any, y: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    if (found := loop_over_axes("extreme_vjp", axis, x, reduced=(g, y))) is not None:
        return found
    return restore_axes(g, axis, keepdims) * _extreme_weights(x, y, axis, keepdims)


def _extreme_jvp(t: Any, y: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    return v.sum(t[0] * _extreme_weights(x, y, axis, keepdims), axis=axis, keepdims=keepdims)


@general(_extreme_vjp, jvp=_extreme_jvp, prepare=axes_of("max"))
def max(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The maximum over axes; equal entries share the gradient evenly."""
    if type(x) is np.ndarray:  # np.max calls the same, some microseconds later
        return _maximum_reduce(x, axis, None, None, keepdims)
    return np.max(x, axis=axis, keepdims=keepdims)


@general(_extreme_vjp, jvp=_extreme_jvp, prepare=axes_of("min"))
def min(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The minimum over axes; equal entries share the gradient evenly."""
    reduce: Any = np.minimum.reduce if type(x) is np.ndarray else np.min
    return reduce(x, axis=axis, keepdims=keepdims)


def _all_finite(x: np.ndarray[Any, Any]) -> bool:
    return bool(np.count_nonzero(np.isfinite(x)) == x.size)  # of few entries faster than all()


def _softmax_weights(x: Any, y: Any, axis: tuple[int, ...], keepdims: bool) -> tuple[Any, Any]:
    """exp(x - y), 0 where y is minus infinity; and its sum over the axes, which is 1 but for the rounding of a large y.

    Divided by their sum the weights are exact: in float32 that rounding changes them by 1 % at a y of 1e6.
    """
    y = restore_axes(y, axis, keepdims)
    numbers = as_array(unwrap(y))
    alive, finite = numbers != -np.inf, abs(numbers) < np.inf
    if is_plain(x) and type(y) is np.ndarray and np.count_nonzero(finite) == y.size:
        weights = np.exp(e := np.subtract(x, y), out=e)
        return weights, _add_reduce(weights, axis=axis, keepdims=True)
    weights = v.select(v.exp(x - v.select(y, 0.0, condition=alive)), 0.0, condition=alive)
    return weights, v.select(v.sum(weights, axis=axis, keepdims=True), 1.0, condition=finite)


def _logsumexp_vjp(g: Any, y: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    if (found := loop_over_axes("logsumexp_vjp", axis, x, reduced=(g, y))) is not None:
        return found
    weights, total = _softmax_weights(x, y, axis, keepdims)
    return restore_axes(g, axis, keepdims) / total * weights


def _logsumexp_jvp(t: Any, y: Any, x: Any, *, axis: tuple[int, ...], keepdims: bool) -> Any:
    weights, total = _softmax_weights(x, y, axis, keepdims)
    return v.sum(t[0] * (weights / total), axis=axis, keepdims=keepdims)


@general(
    _logsumexp_vjp,
    jvp=_logsumexp_jvp,
    prepare=axes_of("logsumexp"),
    flops_back=lambda _y, x, *, asked: 4 * np.size(x) * len(asked),  # a difference, exp, a sum, a product
)
def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """``log(sum(exp(x)))`` over axes without overflow; where all entries are -inf it is -inf, with gradient 0."""
    x = floating_array(x)
    if axis is not None and (found := loop_over_axes("logsumexp", axis, x, reduces=True)) is not None:
        return restore_axes(found, axis, not keepdims)
    if is_plain(x) and x.size and _all_finite(top := _maximum_reduce(x, axis, None, None, True)):
        np.exp(e := np.subtract(x, top), out=e)
        y = np.log(total := _add_reduce(e, axis=axis, keepdims=True), out=total)
        y += top
        return y if keepdims else y.squeeze(axis)
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(top), top, 0).astype(x.dtype)
    half = x.dtype == np.float16  # float16 is too inexact for long sums
    with np.errstate(divide="ignore"):
        total = np.sum(np.exp(x - shift), axis=axis, keepdims=True, dtype=np.float32 if half else None)
        y = np.log(total) + shift
    return (y if keepdims else np.squeeze(y, axis)).astype(x.dtype, copy=False)
