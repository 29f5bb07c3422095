"""Normalization: moments, layer normalization, instance normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import DtypeError, ShapeError
from autodiff_kit.nn.functional.validation import number_in_range
from autodiff_kit.ops import normalization
from autodiff_kit.ops.axes import negative_axis
from autodiff_kit.ops.reductions import mean
from autodiff_kit.ops.shape_manipulation import reshape

__all__ = ["instance_norm", "layer_norm", "moments"]


def moments(x: Any, axis: Any, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Mean and variance over axes.

    Parameters
    ----------
    x : Tensor or array_like
    axis : int or tuple of int
    keepdims : bool, optional

    Returns
    -------
    mean, variance : Tensor

    Notes
    -----
    **Gradient.** The path through the mean inside the variance contributes 0, since deviations from the mean sum to 0.
    It is recorded all the same, since second derivatives need it.

    Examples
    --------
    >>> [float(m) for m in ak.nn.moments([1.0, 2.0, 3.0, 4.0], 0)]
    [2.5, 1.25]
    """
    x = as_tensor(x)
    deviation = x - mean(x, axis, True)
    return mean(x, axis, keepdims), mean(deviation * deviation, axis, keepdims)


def _features(shape: tuple[int, ...], axis: Any) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The axes of the features, counted from the end, their shape, and a shape that is broadcast along the others."""
    if type(axis) is int and axis == -1 and shape:  # the common case, several microseconds faster
        return (-1,), shape[-1:], shape[-1:]
    try:
        several = axis if isinstance(axis, (list, tuple, np.ndarray)) else (axis,)
        axes = tuple(sorted({negative_axis(a, len(shape), "layer_norm") for a in several}))
    except TypeError as error:
        raise DtypeError(f"layer_norm: the axis must be an integer or a tuple of integers, got {axis!r}") from error
    return (
        axes,
        tuple(shape[a] for a in axes),
        tuple(shape[a] if a in axes else 1 for a in range(min(axes, default=0), 0)),
    )


def _of_features(name: str, what: str, given: Any, shape: tuple[int, ...], place: tuple[int, ...]) -> Any:
    """A scale or offset of the shape of the normalized axes, in a shape that is broadcast along the others; or one
    number.
    """
    if given is None or isinstance(given, (int, float)):  # a Python number takes the other's dtype
        return given
    t = as_tensor(given)
    if t.shape not in ((), shape):
        raise ShapeError(f"{name}: the {what} must be one number or have shape {shape}, got shape {t.shape}")
    return t if t.shape in ((), place) else reshape(t, place)


def _normalized(
    name: str, x: Tensor, axes: tuple[int, ...], epsilon: Any, scale: Any, offset: Any,
    shape: tuple[int, ...], place: tuple[int, ...],
) -> Tensor:  # fmt: skip
    """Standardized values, times a scale and plus an offset of this shape, which are broadcast from ``place``."""
    epsilon = number_in_range(name, "epsilon", epsilon)
    scale = _of_features(name, "scale", scale, shape, place)
    offset = _of_features(name, "offset", offset, shape, place)
    if type(scale) is type(offset) is Tensor and scale.ndim and offset.ndim:
        return normalization.layer_norm(x, scale, offset, axes, epsilon)
    y = normalization.standardize(x, axis=axes, epsilon=epsilon)
    y = y if scale is None else y * scale
    return y if offset is None else y + offset


def layer_norm(x: Any, scale: Any = None, offset: Any = None, axis: Any = -1, epsilon: float = 1e-5) -> Tensor:
    """Layer normalization: the features of each example are shifted and scaled to mean 0 and variance 1.

    Parameters
    ----------
    x : Tensor or array_like
    scale, offset : Tensor, Variable or array_like, optional
        Factor and summand of the result, with the shape of the normalized axes, or one number.
    axis : int or tuple of int, optional
        Axes of the features.
    epsilon : float, optional
        Added to the variance, so that equal features give 0.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        If an axis is out of range, or scale or offset has another shape.
    StructureError, DtypeError
        If epsilon is negative or not a number.

    Notes
    -----
    **Dtypes.** float16 is summed in float32.
    **Gradient.** Sums to 0 over the axes, since adding a constant to all features does not change the result.

    References
    ----------
    .. [1] Ba, Kiros and Hinton, *Layer Normalization*, arXiv 1607.06450, 2016.

    Examples
    --------
    >>> ak.nn.layer_norm([[1.0, 3.0], [20.0, 0.0]], epsilon=0.0).numpy()
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    t = as_tensor(x)
    axes, shape, place = _features(t.shape, axis)
    return _normalized("layer_norm", t, axes, epsilon, scale, offset, shape, place)


def instance_norm(x: Any, scale: Any = None, offset: Any = None, epsilon: float = 1e-5) -> Tensor:
    """Instance normalization: each channel of each example is shifted and scaled to mean 0 and variance 1.

    Parameters
    ----------
    x : Tensor or array_like
        ``(b, ..., c)``: examples, one or more spatial axes, channels.
    scale, offset : Tensor, Variable or array_like, optional
        ``(c,)``: factor and summand of each channel; or one number.
    epsilon : float, optional
        Added to the variance, so that a channel of one value gives 0.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        If ``x`` has no spatial axis, or scale or offset is neither a number nor ``(c,)``.
    StructureError, DtypeError
        If epsilon is negative or not a number.

    Notes
    -----
    **Gradient.** The path through the mean inside the variance contributes 0, since deviations from the mean sum to 0.
    So wrapping that mean in ``stop_gradient`` does not change first derivatives.

    References
    ----------
    .. [1] Ulyanov, Vedaldi and Lempitsky, *Instance Normalization: The Missing Ingredient for Fast Stylization*,
       arXiv 1607.08022, 2016.

    Examples
    --------
    >>> image = np.arange(8.0).reshape(1, 2, 2, 2)
    >>> ak.nn.instance_norm(image).mean(axis=(1, 2)).numpy()
    array([[0., 0.]])
    """
    t = as_tensor(x)
    if t.ndim < 3:
        raise ShapeError(f"instance_norm needs at least three axes, (b, ..., c), got shape {t.shape}")
    axes, channels = tuple(range(1 - t.ndim, -1)), t.shape[-1:]
    return _normalized("instance_norm", t, axes, epsilon, scale, offset, channels, channels)
