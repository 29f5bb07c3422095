"""Normalization: moments, layer normalization, instance normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import DtypeError, ShapeError
from autodiff_kit.nn.functional.validation import number_in_range
from autodiff_kit.ops.axes import negative_axis
from autodiff_kit.ops.normalization import standardize
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


def _negative_axes(ndim: int, axis: Any) -> tuple[int, ...]:
    try:
        several = axis if isinstance(axis, (list, tuple, np.ndarray)) else (axis,)
        return tuple(sorted({negative_axis(a, ndim, "layer_norm") for a in several}))
    except TypeError as error:
        raise DtypeError(f"layer_norm: the axis must be an integer or a tuple of integers, got {axis!r}") from error


def _scale_and_shift(
    name: str, y: Tensor, scale: Any, offset: Any, shape: tuple[int, ...], place: tuple[int, ...]
) -> Tensor:
    """``y * scale + offset``, where both have the shape of the normalized axes and are broadcast along the others."""
    for what, given in (("scale", scale), ("offset", offset)):
        if given is None:
            continue
        t = given if isinstance(given, (int, float)) else as_tensor(given)  # a Python number takes the other's dtype
        own = t.shape if isinstance(t, Tensor) else ()
        if own not in ((), shape):
            raise ShapeError(f"{name}: the {what} must be one number or have shape {shape}, got shape {own}")
        t = t if own in ((), place) else reshape(t, place)
        y = y * t if what == "scale" else y + t
    return y


def layer_norm(x: Any, scale: Any = None, offset: Any = None, axis: Any = -1, epsilon: float = 1e-5) -> Tensor:
    """Layer normalization: the features of each example are shifted and scaled to mean 0 and variance 1.

    Parameters
    ----------
    x : Tensor or array_like
    scale, offset : Tensor, Variable or array_like, optional
        Factor and summand of the result, with the shape of the normalized axes.
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
    axes = _negative_axes(t.ndim, axis)
    y: Tensor = standardize(t, axis=axes, epsilon=number_in_range("layer_norm", "epsilon", epsilon))
    first = axes[0] if axes else 0
    place = tuple(t.shape[a] if a in axes else 1 for a in range(first, 0))
    return _scale_and_shift("layer_norm", y, scale, offset, tuple(t.shape[a] for a in axes), place)


def instance_norm(x: Any, scale: Any = None, offset: Any = None, epsilon: float = 1e-5) -> Tensor:
    """Instance normalization: each channel of each example is shifted and scaled to mean 0 and variance 1.

    Parameters
    ----------
    x : Tensor or array_like
        ``(b, ..., c)``: examples, one or more spatial axes, channels.
    scale, offset : Tensor, Variable or array_like, optional
        ``(c,)``: factor and summand of each channel.
    epsilon : float, optional
        Added to the variance, so that a channel of one value gives 0.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        If ``x`` has no spatial axis, or scale or offset is not ``(c,)``.
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
    y: Tensor = standardize(
        t, axis=tuple(range(1 - t.ndim, -1)), epsilon=number_in_range("instance_norm", "epsilon", epsilon)
    )
    return _scale_and_shift("instance_norm", y, scale, offset, t.shape[-1:], t.shape[-1:])
