"""Loss functions: cross-entropy with softmax or sigmoid, and the Huber loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import ShapeError
from autodiff_kit.nn.functional.validation import positive_number
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.elementary_functions import softplus
from autodiff_kit.ops.number_parameters import parameter_beside
from autodiff_kit.ops.selection import clip
from autodiff_kit.ops.softmax import log_softmax

__all__ = ["huber", "sigmoid_cross_entropy", "softmax_cross_entropy"]


def _same_shape(name: str, labels: Any, others: Any) -> tuple[Tensor, Tensor]:
    left, right = as_tensor(labels), as_tensor(others)
    if left.shape != right.shape:
        raise ShapeError(
            f"{name}: got shapes {left.shape} and {right.shape}; labels and predictions must have the same shape"
        )
    return left, right


def softmax_cross_entropy(labels: Any, logits: Any) -> Tensor:
    """Softmax cross-entropy with labels that are probabilities of each class; one loss for each row.

    Parameters
    ----------
    labels : Tensor or array_like
        ``(..., classes)``; each row is a distribution (entries from 0 to 1 with sum 1), such as a one-hot row.
    logits : Tensor or array_like
        Of the same shape, before softmax.

    Returns
    -------
    Tensor
        Of shape ``(...)``.

    Raises
    ------
    ShapeError
        If the shapes differ, or there is no class axis.

    See Also
    --------
    sparse_softmax_cross_entropy : the same for integer labels.

    Notes
    -----
    **Gradient.** With respect to the logits: softmax minus labels, for rows of sum 1.

    Examples
    --------
    >>> round(float(ak.nn.softmax_cross_entropy([0.0, 1.0, 0.0], [0.0, 1.0, 2.0])), 4)
    1.4076
    """
    shares, x = _same_shape("softmax_cross_entropy", labels, logits)
    if not x.ndim:
        raise ShapeError("softmax_cross_entropy needs an axis of classes, got a single number")
    return -(shares * log_softmax(x)).sum(axis=-1)


def sigmoid_cross_entropy(labels: Any, logits: Any) -> Tensor:
    """Sigmoid (binary) cross-entropy for labels that do not exclude each other, elementwise.

    Parameters
    ----------
    labels : Tensor or array_like
        0, 1, or a probability between.
    logits : Tensor or array_like
        Of the same shape, before the sigmoid.

    Returns
    -------
    Tensor
        Of the same shape.

    Raises
    ------
    ShapeError
        If the shapes differ.

    Notes
    -----
    **Gradient.** With respect to the logits: sigmoid minus labels. Large positive or negative logits do not overflow.

    Examples
    --------
    >>> ak.nn.sigmoid_cross_entropy([1.0, 1.0], [0.0, -1000.0]).numpy().round(4)
    array([6.931e-01, 1.000e+03])
    """
    shares, x = _same_shape("sigmoid_cross_entropy", labels, logits)
    return shares * softplus(-x) + (1.0 - shares) * softplus(x)


def huber(labels: Any, predictions: Any, delta: float = 1.0) -> Tensor:
    """The Huber loss: half the squared error for small errors, linear for large ones, elementwise.

    Parameters
    ----------
    labels, predictions : Tensor or array_like
        Of one shape.
    delta : float or Tensor, optional
        The error at which the loss becomes linear, above 0.

    Returns
    -------
    Tensor
        Of the same shape.

    Raises
    ------
    ShapeError
        If the shapes differ.
    StructureError, DtypeError
        If delta is not a number above 0.

    Notes
    -----
    **Gradient.** The error, clipped to between -delta and delta; to delta ``|error| - delta``, where that is positive.

    References
    ----------
    .. [1] Huber, *Robust Estimation of a Location Parameter*, Annals of Mathematical Statistics 35, 1964.

    Examples
    --------
    >>> ak.nn.huber([0.0, 0.0], [0.5, 3.0]).numpy()
    array([0.125, 2.5  ])
    """
    true, guessed = _same_shape("huber", labels, predictions)
    limit = positive_number("huber", "delta", delta)
    if "f" not in (true.dtype.kind, guessed.dtype.kind):  # differences of unsigned integers wrap around
        true, guessed = cast(true, np.float64), cast(guessed, np.float64)
    error = guessed - true
    limit = parameter_beside(error.dtype, limit)
    small = clip(error, -limit, limit)
    return small * (error - 0.5 * small)
