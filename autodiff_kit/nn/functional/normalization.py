"""Normalisation and dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, later, lift, plain
from autodiff_kit.core.validation import flag
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.ops.axes import negative_axis
from autodiff_kit.ops.normalization import standardize
from autodiff_kit.ops.selection import select
from autodiff_kit.ops.shape_manipulation import reshape

__all__ = ["dropout", "instance_norm", "layer_norm"]


def _number(name: str, what: str, given: Any, most: float = np.inf) -> float:
    try:
        value = float(plain(given))
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{name}: {what} is a number, got {given!r}") from error
    if not 0 <= value <= most:
        bound = f"from 0 to {most:g}" if most < np.inf else "0 or more"
        raise StructureError(f"{name}: {what} is {bound}, got {value:g}")
    return value


def _axes(ndim: int, axis: Any) -> tuple[int, ...]:
    try:
        several = axis if isinstance(axis, (list, tuple, np.ndarray)) else (axis,)
        return tuple(sorted({negative_axis(a, ndim, "layer_norm") for a in several}))
    except TypeError as error:
        raise DtypeError(f"layer_norm: the axis is a whole number or several of them, got {axis!r}") from error


def _scaled(name: str, y: Tensor, scale: Any, offset: Any, shape: tuple[int, ...], place: tuple[int, ...]) -> Tensor:
    """``y * scale + offset``, both with the shape of the normalised axes, brought to their place."""
    for what, given in (("scale", scale), ("offset", offset)):
        if given is None:
            continue
        t = given if isinstance(given, (int, float)) else lift(given)  # a number takes the dtype of what it meets
        if np.shape(t) not in ((), shape):
            raise ShapeError(f"{name}: the {what} has shape {np.shape(t)}; one number, or shape {shape}, is expected")
        t = reshape(t, place) if np.shape(t) else t
        y = y * t if what == "scale" else y + t
    return y


def layer_norm(x: Any, scale: Any = None, offset: Any = None, axis: Any = -1, epsilon: float = 1e-5) -> Tensor:
    """Each example's features brought to mean 0 and variance 1.

    Parameters
    ----------
    x : Tensor or array_like
    scale, offset : Tensor, Variable or array_like, optional
        What the result is multiplied by, and what is added: shaped like the axes that are normalised.
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
        If epsilon is negative or no number.

    Notes
    -----
    **Dtypes.** float16 is added up in float32.
    **Gradient.** Sums to 0 over the axes, as a constant added to all features changes nothing.

    References
    ----------
    .. [1] Ba, Kiros and Hinton, *Layer Normalization*, arXiv 1607.06450, 2016.

    Examples
    --------
    >>> ak.nn.layer_norm([[1.0, 3.0], [20.0, 0.0]], epsilon=0.0).numpy()
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    t = lift(x)
    axes = _axes(t.ndim, axis)
    y: Tensor = standardize(t, axis=axes, epsilon=_number("layer_norm", "epsilon", epsilon))
    first = axes[0] if axes else 0
    place = tuple(t.shape[a] if a in axes else 1 for a in range(first, 0))
    return _scaled("layer_norm", y, scale, offset, tuple(t.shape[a] for a in axes), place)


def instance_norm(x: Any, scale: Any = None, offset: Any = None, epsilon: float = 1e-5) -> Tensor:
    """Each channel of each example brought to mean 0 and variance 1 over its places.

    Parameters
    ----------
    x : Tensor or array_like
        ``(b, ..., c)``: examples, one or more axes of places, channels.
    scale, offset : Tensor, Variable or array_like, optional
        ``(c,)``, what each channel is multiplied by, and what is added.
    epsilon : float, optional
        Added to the variance, so that a channel of one value gives 0.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        If ``x`` has no axis of places, or scale or offset is not ``(c,)``.
    StructureError, DtypeError
        If epsilon is negative or no number.

    Notes
    -----
    **Gradient.** The path through the mean inside the variance adds 0: deviations sum to 0. So it makes no difference
    to first order whether that mean is wrapped in ``stop_gradient``.

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
    t = lift(x)
    if t.ndim < 3:
        raise ShapeError(f"instance_norm: three axes or more are expected, (b, ..., c); got {t.shape}")
    y: Tensor = standardize(t, axis=tuple(range(1 - t.ndim, -1)), epsilon=_number("instance_norm", "epsilon", epsilon))
    return _scaled("instance_norm", y, scale, offset, t.shape[-1:], t.shape[-1:])


def dropout(x: Any, rate: Any, seed: Any = None, training: bool = True) -> Tensor:
    """Entries set to 0 at random, the others enlarged so that the mean stays.

    Parameters
    ----------
    x : Tensor or array_like
    rate : float
        Share of the entries that are dropped, from 0 to 1.
    seed : int or numpy.random.Generator, optional
        The same number drops the same entries each time; a generator moves on from call to call.
    training : bool, optional
        When False nothing is dropped, and nothing enlarged.

    Returns
    -------
    Tensor
        Of the shape of ``x``; what is kept is divided by ``1 - rate``.

    Raises
    ------
    StructureError, DtypeError
        If the rate is outside 0 to 1, or the seed is none.

    Notes
    -----
    **Gradient.** Through the same mask: ``1 / (1 - rate)`` where an entry was kept, exactly 0 where not, whatever
    stood there.

    References
    ----------
    .. [1] Srivastava et al., *Dropout: A Simple Way to Prevent Neural Networks from Overfitting*, JMLR 15, 2014.

    Examples
    --------
    >>> y = ak.nn.dropout(np.ones(1000), 0.25, seed=0)
    >>> sorted(set(y.numpy().round(4).tolist())), abs(float(y.mean()) - 1.0) < 0.1
    ([0.0, 1.3333], True)
    """
    t, share = lift(x), _number("dropout", "rate", rate, most=1)
    if not flag("dropout: training", training) or share == 0:
        return t
    keep = later(_kept, t._value, plain(seed), share, anew=True)
    grown = t * (1.0 / (1.0 - share)) if share < 1 else t
    return select(grown, 0.0, condition=keep)


def _kept(x: Any, seed: Any, share: float) -> np.ndarray[Any, Any]:
    """Which entries stay; in a compiled function drawn anew at each call."""
    try:
        generator = np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise DtypeError(f"dropout: the seed is a whole number of 0 or more, or a Generator, got {seed!r}") from error
    keep: np.ndarray[Any, Any] = generator.random(np.shape(x)) >= share
    return keep
