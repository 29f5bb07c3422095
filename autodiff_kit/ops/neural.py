"""Activations, softmax in its variants, cross-entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.operation import elementwise, general, v
from autodiff_kit.core.tensor import Standin, Tensor, array, later, lift, plain
from autodiff_kit.core.validation import number, word
from autodiff_kit.errors import DtypeError, LabelError, ShapeError
from autodiff_kit.ops.choose import where
from autodiff_kit.ops.elementary import tanh
from autodiff_kit.ops.shaping import negative_axis

__all__ = [
    "elu", "gelu", "leaky_relu", "log_softmax", "masked_softmax", "relu", "softmax", "sparse_softmax_cross_entropy",
]  # fmt: skip


# -------------------------------------------------------------------------------- activations
def _above(x: Any) -> Any:
    """1 above 0, 0 elsewhere, nan at nan; a mask that was held in place of the input counts as itself."""
    x = plain(x)
    if type(x) is float:
        return 1.0 if x > 0 else 0.0 if x == x else x
    if x.dtype == np.bool_:
        return x
    return np.where(np.isnan(x), x, x > 0).astype(x.dtype)


def _loop(name: str, x: Any) -> Any:
    """A loop over all entries, where there is one for such an array."""
    simple = type(x) is np.ndarray and x.dtype.char in "fd" and x.flags.c_contiguous
    return kernels.compiled_loop(name) if simple else None


def _mask(y: Any, x: Any) -> tuple[Any]:
    """One byte an entry instead of the input; a nan would be lost in it, so then the input stays."""
    if (loop := _loop("relu_mask", x)) is not None:
        above = np.empty(x.shape, np.bool_)
        return (above if loop(x.ravel(), above.ravel()) else x,)
    if isinstance(x, Standin):
        return (x,)
    flat = y.ravel()
    square = flat.dot(flat)  # one product tells of a nan faster than a maximum
    return (x > 0 if square == square else x,)


def _relu_pull(g: Any, x: Any) -> Any:
    held = type(x) is np.ndarray and x.dtype.char == "?" and x.flags.c_contiguous
    if not held or (loop := _loop("relu_vjp", g)) is None or g.shape != x.shape:
        return g * _above(x)
    out = np.empty(g.shape, g.dtype)
    loop(g.ravel(), x.ravel(), out.ravel())
    return out


@elementwise(
    lambda g, _y, x: _relu_pull(g, x),
    scalar=lambda x: x if x > 0 or x != x else 0.0,
    residual=_mask,
    points=(((0.0,), (0.0,)), ((np.nan,), (np.nan,))),
)
def relu(x: Any) -> Any:
    """``x`` above 0, else 0; the slope at 0 is 0. The record holds a mask, not the input."""
    if (loop := _loop("relu", x)) is None:
        return np.maximum(x, 0)
    out = np.empty(x.shape, x.dtype)
    loop(x.ravel(), out.ravel())
    return out


@elementwise(
    lambda g, _y, x, *, slope: g * np.where(np.greater(plain(x), 0), 1.0, slope),
    points=(((0.0,), (0.2,), {"slope": 0.2}),),
)
def leaky_relu(x: Any, slope: float = 0.2) -> Any:
    """``x`` above 0, else ``slope * x``; at 0 the slope is ``slope``."""
    return np.where(np.greater(x, 0), x, np.multiply(slope, x))


def _elu_slope(x: Any) -> Any:
    """1 from 0 upwards, so that the second derivative at 0 is 0."""
    straight = np.greater_equal(plain(x), 0)
    return v.select(1.0, v.exp(v.select(0.0, x, condition=straight)), condition=straight)


@elementwise(
    lambda g, _y, x: g * _elu_slope(x),
    points=(((0.0,), (1.0,)),),
)
def elu(x: Any) -> Any:
    """``x`` above 0, else ``exp(x) - 1``."""
    return np.where(np.greater(x, 0), x, np.expm1(np.minimum(x, 0)))


_GELU = math.sqrt(2 / math.pi)


def gelu(x: Any) -> Tensor:
    """A smooth relu, ``x`` times the normal distribution's share below ``x``, by the customary tanh formula.

    Parameters
    ----------
    x : Tensor or array_like

    Returns
    -------
    Tensor

    References
    ----------
    .. [1] Hendrycks and Gimpel, *Gaussian Error Linear Units*, arXiv 1606.08415, 2016.

    Examples
    --------
    >>> float(ak.nn.gelu(0.0))
    0.0
    """
    t = lift(x)
    return 0.5 * t * (1.0 + tanh(_GELU * (t + 0.044715 * t * t * t)))


# -------------------------------------------------------------------------------- softmax
def _axis(x: Any, axis: int = -1) -> dict[str, Any]:
    if not x.ndim:
        raise ShapeError("softmax needs an axis to share along; a single number has none")
    return {"axis": negative_axis(axis, x.ndim, "softmax")}


def _total(x: Any, axis: int) -> Any:
    return v.sum(x, axis=(axis,), keepdims=True)


def _fast(x: Any, axis: int) -> bool:
    return type(x) is np.ndarray and axis == -1 and x.ndim > 0 and x.size > 0 and x.dtype.char in "fd"


def _softmax_pull(g: Any, y: Any, axis: int) -> Any:
    """``y * (g - sum(y * g))``."""
    plain_arrays = type(g) is np.ndarray and type(y) is np.ndarray and g.shape == y.shape and g.dtype == y.dtype
    loop = kernels.compiled_loop("softmax_vjp_rows") if plain_arrays and _fast(y, axis) else None
    if loop is None:
        return y * (g - _total(g * y, axis))
    out = np.array(g, order="C")
    loop(out.reshape(-1, y.shape[-1]), np.ascontiguousarray(y).reshape(-1, y.shape[-1]))
    return out


@general(
    lambda g, y, _x, *, axis: _softmax_pull(g, y, axis),
    jvp=lambda t, y, _x, *, axis: y * (t[0] - _total(t[0] * y, axis)),
    prepare=_axis,
)
def softmax(x: Any, axis: int = -1) -> Any:
    """``exp(x)`` shared out so that it sums to 1 along an axis; a constant added to all changes nothing."""
    x = array(x)
    loop = kernels.compiled_loop("softmax_rows") if _fast(x, axis) else None
    if loop is not None:
        out = np.empty(x.shape, x.dtype)
        loop(np.ascontiguousarray(x).reshape(-1, x.shape[-1]), out.reshape(-1, x.shape[-1]))
        return out
    return _softmax(x, axis)


def _softmax(x: Any, axis: int) -> Any:
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    with np.errstate(invalid="ignore"):  # a row of -inf: nan is the answer, not news
        e = np.exp(wide - np.max(wide, axis=axis, keepdims=True))
        return (e / np.sum(e, axis=axis, keepdims=True)).astype(x.dtype)


@general(
    lambda g, y, _x, *, axis: g - v.exp(y) * _total(g, axis),
    jvp=lambda t, y, _x, *, axis: t[0] - _total(v.exp(y) * t[0], axis),
    prepare=_axis,
)
def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of :func:`softmax`, exact where that underflows."""
    x = array(x)
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def _kept_pull(g: Any, y: Any, _x: Any, *, mask: Any, empty: str) -> Any:
    clear = v.select(g, 0.0, condition=mask)  # whatever arrives at the padding, 0 times nan included, stays out
    return v.select(y * (clear - _total(clear * v.select(y, 0.0, condition=mask), -1)), 0.0, condition=mask)


@general(
    _kept_pull,
    jvp=lambda t, y, _x, *, mask, empty: _kept_pull(t[0], y, _x, mask=mask, empty=empty),
)
def _kept_softmax(x: Any, mask: Any, empty: str) -> Any:
    """softmax over the kept entries of the last axis; 0 at the others."""
    x = array(x)
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    top = np.max(np.where(mask, wide, -np.inf), axis=-1, keepdims=True, initial=-np.inf)
    alive = np.any(mask, axis=-1, keepdims=True)
    e = np.where(mask, np.exp(np.where(mask, wide, top) - np.where(alive, top, 0) if x.size else wide), 0)
    z = np.sum(e, axis=-1, keepdims=True)
    weights = np.where(mask, e / np.where(alive, z, 1), 0 if empty == "zero" else np.where(alive, 0, np.nan))
    return weights.astype(x.dtype)


def masked_softmax(
    scores: Any, mask: Any, mode: str = "renormalize", additive: float = -1e9, empty: str = "zero"
) -> Tensor:
    """softmax over the last axis, where some entries do not count.

    Parameters
    ----------
    scores : Tensor or array_like
    mask : array_like of bool
        True keeps; broadcasts against the scores.
    mode : {"renormalize", "additive", "where"}
        Share among the kept entries only; or add ``additive`` to the others before the softmax, as BERT does; or set
        them to minus infinity.
    additive : float, optional
        For mode "additive".
    empty : {"zero", "nan"}
        For mode "renormalize": what a row without kept entries gives.

    Returns
    -------
    Tensor
        Of the scores' shape and dtype.

    Raises
    ------
    ShapeError
        If the mask does not broadcast to the scores.
    StructureError
        If ``mode`` or ``empty`` is none of the words above.

    Notes
    -----
    **Gradient.** With "renormalize" exactly 0 into what does not count, also where nan or inf stands there. With
    "additive" a fully masked row attends all the same: its weights are those of the plain softmax, as far as the dtype
    still tells the scores apart. With "where" it is nan.

    Examples
    --------
    >>> ak.nn.masked_softmax(ak.log([1.0, 2.0, 3.0, 4.0]), [True, True, True, False]).numpy().round(4)
    array([0.1667, 0.3333, 0.5   , 0.    ])
    """
    scores = lift(scores)
    keep = _checked_mask(scores, mask)
    word("empty", empty, "zero", "nan")
    word("mode", mode, "renormalize", "additive", "where")
    out: Tensor
    if mode == "renormalize":
        out = _kept_softmax(scores, mask=keep, empty=empty)
    elif mode == "additive":
        out = softmax(scores + np.where(keep, 0, number("additive", additive)).astype(scores.dtype), -1)
    else:
        lowest = np.array(-np.inf, scores.dtype if scores.dtype.kind == "f" else np.float64)
        out = softmax(where(keep, scores, lowest), -1)
    return out


def _checked_mask(scores: Tensor, mask: Any) -> Any:
    try:
        keep = np.asarray(plain(mask))
    except ValueError as error:
        raise ShapeError(f"a mask is an array as wide as the scores: {error}") from error
    if keep.dtype.kind not in "biu":
        raise DtypeError(
            f"a mask is True where an entry counts; got dtype {keep.dtype}. Compare first, as in ids != 0."
        )
    if not scores.ndim:
        raise ShapeError("masked_softmax needs an axis to share along; a single number has none")
    try:
        return np.broadcast_to(keep.astype(bool), scores.shape)
    except ValueError as error:
        raise ShapeError(f"a mask of shape {keep.shape} does not fit scores of shape {scores.shape}") from error


# -------------------------------------------------------------------------------- cross-entropy
def _difference(x: Any, labels: Any) -> Any:
    """softmax minus the one that was right."""
    p = v.softmax(x, axis=-1)
    return p - (labels[..., None] == np.arange(np.shape(plain(x))[-1]))


def _entropy_pull(g: Any, x: Any, labels: Any) -> Any:
    plain_arrays = type(g) is np.ndarray and type(x) is np.ndarray and g.shape == labels.shape and g.dtype == x.dtype
    loop = kernels.compiled_loop("cross_entropy_vjp") if plain_arrays and _fast(x, -1) and x.ndim > 1 else None
    if loop is None:
        return v.expand_dims(g, axis=(-1,)) * _difference(x, labels)
    out = np.empty(x.shape, x.dtype)
    loop(np.ascontiguousarray(g).ravel(), _rows(x), labels.ravel(), _rows(out))
    return out


def _rows(x: Any) -> Any:
    """As a matrix in C order."""
    x = np.ascontiguousarray(x)
    return x if x.ndim == 2 else x.reshape(-1, x.shape[-1])


@general(
    lambda g, _y, x, *, labels: _entropy_pull(g, x, labels),
    jvp=lambda t, _y, x, *, labels: v.sum(t[0] * _difference(x, labels), axis=(-1,), keepdims=False),
)
def _sparse_cross_entropy(x: Any, labels: Any) -> Any:
    """``logsumexp(x) - x[label]`` along the last axis."""
    x = array(x)
    loop = kernels.compiled_loop("cross_entropy") if _fast(x, -1) and x.ndim > 1 else None
    if loop is not None:
        out = np.empty(labels.shape, x.dtype)
        if loop(_rows(x), labels.ravel(), out.ravel()):
            return out
    later(_classes, labels, x.shape[-1])
    shifted = x - np.max(x, axis=-1, keepdims=True)  # the label's logit too: a large one would swallow the logarithm
    total = np.log(np.sum(np.exp(shifted), axis=-1))
    return total - np.sum(np.where(labels[..., None] == np.arange(x.shape[-1]), shifted, 0), axis=-1)


def sparse_softmax_cross_entropy(labels: Any, logits: Any) -> Tensor:
    """Cross-entropy of labels that are whole numbers, a loss for each row.

    Parameters
    ----------
    labels : array_like of int
        Of shape ``(...)``, from 0 up to the number of classes, exclusive.
    logits : Tensor or array_like
        Of shape ``(..., classes)``.

    Returns
    -------
    Tensor
        Of shape ``(...)``.

    Raises
    ------
    LabelError
        If a label is outside; it lists them. It is a ValueError and an IndexError.
    ShapeError
        If the shapes do not fit.

    Notes
    -----
    **Gradient.** softmax minus 1 at the label, so each row sums to 0.

    Examples
    --------
    >>> float(ak.round(1e4 * ak.nn.sparse_softmax_cross_entropy(1, [0.0, 1.0, 2.0])))
    14076.0
    """
    logits = lift(logits)
    numbers = array(lift(labels)._value)
    if numbers.dtype.kind not in "iu":
        raise DtypeError(f"labels are whole numbers, got {numbers.dtype}")
    shape = logits.shape
    if not shape or numbers.shape != shape[:-1]:
        raise ShapeError(
            f"labels of shape {numbers.shape} need logits of shape {numbers.shape} + (classes,), got {shape}"
        )
    if type(numbers) is not np.ndarray or numbers.dtype is not _PLACES or not numbers.flags.c_contiguous:
        numbers = later(_classes, numbers, shape[-1])  # else the loop itself looks at them
    return _sparse_cross_entropy(logits, numbers)


_PLACES = np.dtype(np.intp)


def _classes(labels: Any, count: int) -> Any:
    """Labels, each of them a class, in the form in which they are held."""
    if labels.size and not 0 <= labels.min() <= labels.max() < count:
        outside = labels[(labels < 0) | (labels >= count)]
        raise LabelError(f"labels must be from 0 to {count - 1}; got {sorted(set(outside.tolist()))}")
    return labels.astype(np.intp, order="C")
