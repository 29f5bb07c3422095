"""Softmax, masked softmax and cross-entropy, by compiled loops where they fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.operation import v
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import as_array, opaque
from autodiff_kit.core.validation import check_choice
from autodiff_kit.errors import DtypeError, LabelError, ShapeError
from autodiff_kit.ops.axes import negative_axis
from autodiff_kit.ops.families import general
from autodiff_kit.ops.in_place import is_plain, on_temporary
from autodiff_kit.ops.number_parameters import check_number
from autodiff_kit.ops.promotion import floating_array
from autodiff_kit.ops.selection import where


def _softmax_axis(x: Any, axis: int = -1) -> dict[str, Any]:
    """The parameters of softmax: its axis, checked."""
    if not x.ndim:
        raise ShapeError("softmax needs at least one axis; got a single number")
    return {"axis": negative_axis(axis, x.ndim, "softmax")}


def _sum_along(x: Any, axis: int) -> Any:
    """The sum along one axis, which is kept with length 1."""
    return v.sum(x, axis=(axis,), keepdims=True)


def _fits_row_kernel(x: Any, axis: int) -> bool:
    """Whether the compiled loops over rows fit the array."""
    return type(x) is np.ndarray and axis == -1 and x.ndim > 0 and x.size > 0 and x.dtype.char in "fd"


def _softmax_vjp(g: Any, y: Any, axis: int) -> Any:
    """``y * (g - sum(y * g))``, by a compiled loop where it fits."""
    plain_arrays = type(g) is np.ndarray and type(y) is np.ndarray and g.shape == y.shape and g.dtype == y.dtype
    loop = kernels.compiled_loop("softmax_vjp_rows") if plain_arrays and _fits_row_kernel(y, axis) else None
    if loop is None:
        return y * (g - _sum_along(g * y, axis))
    out = np.array(g, order="C")
    loop(out.reshape(-1, y.shape[-1]), np.ascontiguousarray(y).reshape(-1, y.shape[-1]))
    return out


@general(
    lambda g, y, _x, *, axis: _softmax_vjp(g, y, axis),
    jvp=lambda t, y, _x, *, axis: y * (t[0] - _sum_along(t[0] * y, axis)),
    prepare=_softmax_axis,
)
def softmax(x: Any, axis: int = -1) -> Any:
    """The softmax along an axis: ``exp(x)`` divided by its sum. Adding a constant changes nothing.

    The gradient is accurate to twice the dtype's epsilon, beside the largest cotangent: that of an entry close to 1 is
    0 where the sum of all others is smaller.
    """
    x = floating_array(x)
    if not x.size:
        return x
    loop = kernels.compiled_loop("softmax_rows") if _fits_row_kernel(x, axis) else None
    if loop is not None:
        out = np.empty(x.shape, x.dtype)
        loop(np.ascontiguousarray(x).reshape(-1, x.shape[-1]), out.reshape(-1, x.shape[-1]))
        return out
    return _numpy_softmax(x, axis)


def _numpy_softmax(x: Any, axis: int) -> Any:
    """The softmax by NumPy, of float16 in float32."""
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    with np.errstate(invalid="ignore"):  # a row of -inf gives nan without a warning
        e = on_temporary(np.exp, wide - np.max(wide, axis=axis, keepdims=True))
        return on_temporary(np.divide, e, np.sum(e, axis=axis, keepdims=True)).astype(x.dtype, copy=False)


@general(
    lambda g, y, _x, *, axis: g - v.exp(y) * _sum_along(g, axis),
    jvp=lambda t, y, _x, *, axis: t[0] - _sum_along(v.exp(y) * t[0], axis),
    prepare=_softmax_axis,
)
def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of :func:`softmax`, accurate where that underflows."""
    x = floating_array(x)
    if not x.size:
        return x
    wide = x.astype(np.float32) if x.dtype == np.float16 else x  # the sum of a long row overflows in float16
    shifted = wide - np.max(wide, axis=axis, keepdims=True)
    return (shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))).astype(x.dtype, copy=False)


def _mask_rows(mask: Any) -> Any:
    """The rows of a mask as a matrix in C order, without the leading axes along which it was broadcast."""
    while mask.ndim > 1 and not mask.strides[0]:
        mask = mask[0]
    return _as_matrix(mask) if mask.ndim > 1 else np.ascontiguousarray(mask)[None]


def _masked_loop(name: str, mask: Any, *arrays: Any) -> Any:
    """What a compiled loop over masked rows gives, and None where it does not fit."""
    x = arrays[0]
    if type(mask) is not np.ndarray or mask.shape != np.shape(x) or not is_plain(*arrays) or not x.size:
        return None
    if (loop := kernels.compiled_loop(name)) is None:
        return None
    out = np.empty(x.shape, x.dtype)
    loop(*[a.reshape(-1, x.shape[-1]) for a in map(np.ascontiguousarray, arrays)], _mask_rows(mask), _as_matrix(out))
    return out


def _masked_softmax_vjp(g: Any, y: Any, _x: Any, *, mask: Any, empty: str) -> Any:
    if (found := _masked_loop("masked_softmax_vjp_rows", mask, g, y)) is not None:
        return found
    clear = v.select(g, 0.0, condition=mask)  # masked entries get 0 even where the cotangent is nan
    if is_plain(clear, y):
        # NumPy's functions, because the cost model counts the operators that a rule is written with, once.
        np.subtract(clear, np.sum(np.multiply(clear, y), axis=-1, keepdims=True), out=clear)
        np.multiply(clear, y, out=clear)
        np.copyto(clear, 0.0, where=~mask)
        return clear
    return v.select(y * (clear - _sum_along(clear * v.select(y, 0.0, condition=mask), -1)), 0.0, condition=mask)


@general(
    _masked_softmax_vjp,
    jvp=lambda t, y, _x, *, mask, empty: _masked_softmax_vjp(t[0], y, _x, mask=mask, empty=empty),
)
def _masked_softmax(x: Any, mask: Any, empty: str) -> Any:
    """The softmax over the entries that the mask keeps; 0 at the others."""
    x = floating_array(x)
    if empty == "zero" and (found := _masked_loop("masked_softmax_rows", mask, x)) is not None:
        return found
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    e = np.where(mask, wide, -np.inf)
    top = np.max(e, axis=-1, keepdims=True, initial=-np.inf)
    alive = np.any(mask, axis=-1, keepdims=True)
    e = on_temporary(np.exp, on_temporary(np.subtract, e, np.where(alive, top, 0)))
    z = np.sum(e, axis=-1, keepdims=True)
    e = on_temporary(np.divide, e, np.where(alive, z, 1))
    if not is_plain(e) or empty == "nan" or np.isnan(z).any():  # otherwise masked entries are 0 already
        e = np.where(mask, e, 0 if empty == "zero" else np.where(alive, 0, np.nan))
    return e.astype(x.dtype, copy=False)


def masked_softmax(
    scores: Any, mask: Any, mode: str = "renormalize", additive: float = -1e9, empty: str = "zero"
) -> Tensor:
    """The softmax over the last axis with some entries masked.

    Parameters
    ----------
    scores : Tensor or array_like
    mask : array_like of bool
        True for the entries to keep; broadcast to the shape of the scores.
    mode : {"renormalize", "additive", "where"}
        Normalize over the kept entries only; or add ``additive`` to the masked scores before the softmax, as BERT does;
        or set them to minus infinity.
    additive : float, optional
        For mode "additive"; limited to half of the largest number of the dtype.
    empty : {"zero", "nan"}
        For mode "renormalize": the result of a row without kept entries.

    Returns
    -------
    Tensor
        In the scores' shape and dtype.

    Raises
    ------
    ShapeError
        If the mask does not broadcast to the scores.
    StructureError
        If ``mode`` or ``empty`` is not one of the words above.

    Notes
    -----
    **Gradient.** With "renormalize" exactly 0 for masked entries, also if they are nan or inf. With "additive" a fully
    masked row still gets weights: those of the plain softmax, as far as the dtype can still distinguish the scores.
    With "where" they are nan.

    Examples
    --------
    >>> ak.nn.masked_softmax(ak.log([1.0, 2.0, 3.0, 4.0]), [True, True, True, False]).numpy().round(4)
    array([0.1667, 0.3333, 0.5   , 0.    ])
    """
    scores = as_tensor(scores)
    keep = checked_mask(scores.shape, mask)
    check_masking(mode, empty)
    out: Tensor
    if mode == "renormalize":
        out = _masked_softmax(scores, mask=keep, empty=empty)
    elif mode == "additive":
        kind = scores.dtype if scores.dtype.kind == "f" else np.dtype(np.float64)
        most = float(np.finfo(kind).max) / 2  # an infinite sum would give nan: float16 ends at 65504
        bias = np.clip(check_number("additive", additive), -most, most)
        out = softmax(scores + np.where(keep, 0, bias).astype(kind), -1)
    else:
        lowest = np.array(-np.inf, scores.dtype if scores.dtype.kind == "f" else np.float64)
        out = softmax(where(keep, scores, lowest), -1)
    return out


def check_masking(mode: Any, empty: Any) -> None:
    """Raise if ``mode`` or ``empty`` is not one of the words that :func:`masked_softmax` knows."""
    check_choice("empty", empty, "zero", "nan")
    check_choice("mode", mode, "renormalize", "additive", "where")


def checked_mask(shape: tuple[int, ...], mask: Any) -> Any:
    """The mask as booleans in the shape of the scores."""
    try:
        keep = as_array(unwrap(mask))
    except ValueError as error:
        raise ShapeError(f"a mask must be an array that broadcasts to the scores: {error}") from error
    if keep.dtype.kind not in "biu":
        raise DtypeError(
            f"a mask must be boolean, True for the entries to keep; got dtype {keep.dtype}. Compare first, as in ids "
            "!= 0."
        )
    if not shape:
        raise ShapeError("masked_softmax needs at least one axis; got a single number")
    keep = keep.astype(bool, copy=type(mask) is not Tensor)
    fits = type(keep) is np.ndarray and shape[len(shape) - keep.ndim :] == keep.shape
    if fits and keep.flags.c_contiguous:
        ahead = (0,) * (len(shape) - keep.ndim)  # np.broadcast_to takes as long as a small softmax
        found = np.ndarray(shape, np.bool_, keep, 0, ahead + keep.strides)
        found.flags.writeable = False
        return found
    try:
        return np.broadcast_to(keep, shape)
    except ValueError as error:
        raise ShapeError(f"a mask of shape {keep.shape} does not fit scores of shape {shape}") from error


def _softmax_minus_one_hot(x: Any, labels: Any) -> Any:
    """The softmax minus 1 at the label: the derivative of the cross-entropy."""
    p = v.softmax(x, axis=-1)
    if is_plain(p) and p.size and type(labels) is np.ndarray and p.shape[:-1] == labels.shape:
        own = labels[..., None]
        np.put_along_axis(p, own, np.subtract(np.take_along_axis(p, own, -1), 1), -1)
        return p
    return p - (labels[..., None] == np.arange(np.shape(unwrap(x))[-1]))


def _cross_entropy_vjp(g: Any, x: Any, labels: Any) -> Any:
    plain_arrays = all(type(z) is np.ndarray for z in (g, x, labels)) and g.shape == labels.shape and g.dtype == x.dtype
    loop = (
        kernels.compiled_loop("cross_entropy_vjp") if plain_arrays and _fits_row_kernel(x, -1) and x.ndim > 1 else None
    )
    if loop is None:
        return v.expand_dims(g, axis=(-1,)) * _softmax_minus_one_hot(x, labels)
    out = np.empty(x.shape, x.dtype)
    if not loop(np.ascontiguousarray(g).ravel(), _as_matrix(x), labels.ravel(), _as_matrix(out)):
        _checked_labels(labels, x.shape[-1])  # someone has changed them since; this raises
    return out


def _as_matrix(x: Any) -> Any:
    """The array as a matrix of rows in C order."""
    x = np.ascontiguousarray(x)
    return x if x.ndim == 2 else x.reshape(-1, x.shape[-1])


@general(
    lambda g, _y, x, *, labels: _cross_entropy_vjp(g, x, labels),
    jvp=lambda t, _y, x, *, labels: v.sum(t[0] * _softmax_minus_one_hot(x, labels), axis=(-1,), keepdims=False),
)
def _sparse_cross_entropy(x: Any, labels: Any) -> Any:
    """The cross-entropy ``logsumexp(x) - x[label]`` along the last axis."""
    x = floating_array(x)
    plain = type(labels) is np.ndarray and x.shape[:-1] == labels.shape
    loop = kernels.compiled_loop("cross_entropy") if plain and _fits_row_kernel(x, -1) and x.ndim > 1 else None
    if loop is not None:
        out = np.empty(labels.shape, x.dtype)
        if loop(_as_matrix(x), labels.ravel(), out.ravel()):
            return out
    _checked_labels(labels, x.shape[-1])
    # The label's logit is shifted too: a large one plus the logarithm would lose the logarithm's digits.
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    shifted = wide - np.max(wide, axis=-1, keepdims=True)
    if plain and is_plain(shifted):
        own = np.take_along_axis(shifted, labels[..., None], -1)[..., 0]
    else:
        own = np.sum(np.where(labels[..., None] == np.arange(x.shape[-1]), shifted, 0), axis=-1)
    return (np.log(np.sum(on_temporary(np.exp, shifted), axis=-1)) - own).astype(x.dtype, copy=False)


def sparse_softmax_cross_entropy(labels: Any, logits: Any) -> Tensor:
    """The softmax cross-entropy of integer labels, one loss for each row.

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
        If a label is outside this range; the message lists such labels. It is a ValueError and an IndexError.
    ShapeError
        If the shapes do not fit.

    Notes
    -----
    **Gradient.** softmax minus 1 at the label, so each row sums to 0; its error is that of 1, up to 2.1
    times the dtype's epsilon.

    Examples
    --------
    >>> float(ak.round(1e4 * ak.nn.sparse_softmax_cross_entropy(1, [0.0, 1.0, 2.0])))
    14076.0
    """
    logits = as_tensor(logits)
    numbers = as_array(as_tensor(labels)._value)
    if numbers.dtype.kind not in "iu":
        raise DtypeError(f"labels must be integers, got {numbers.dtype}")
    shape = logits.shape
    if not shape or numbers.shape != shape[:-1]:
        raise ShapeError(
            f"labels of shape {numbers.shape} need logits of shape {numbers.shape} + (classes,), got {shape}"
        )
    if type(numbers) is not np.ndarray or numbers.dtype is not _INDEX_DTYPE or not numbers.flags.c_contiguous:
        numbers = _checked_labels(numbers, shape[-1])  # else the compiled loop checks them
    return _sparse_cross_entropy(logits, numbers)


_INDEX_DTYPE = np.dtype(np.intp)


@opaque
def _checked_labels(labels: Any, count: int) -> Any:
    """Labels as contiguous indices; raises if one is not a class."""
    if labels.size and not 0 <= labels.min() <= labels.max() < count:
        outside = labels[(labels < 0) | (labels >= count)]
        raise LabelError(f"labels must be from 0 to {count - 1}; got {sorted(set(outside.tolist()))}")
    return labels.astype(np.intp, order="C")
