"""Small functions that layers are made of."""

from __future__ import annotations

from typing import Any

from autodiff_kit.core.tensor import Tensor, lift, plain
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.nn.segment.validation import checked, whole
from autodiff_kit.ops.choose import clip
from autodiff_kit.ops.elementary import softplus
from autodiff_kit.ops.neural import log_softmax
from autodiff_kit.ops.reduce import mean

__all__ = ["embedding", "huber", "moments", "sigmoid_cross_entropy", "softmax_cross_entropy"]


def embedding(table: Any, ids: Any) -> Tensor:
    """Rows of a table by their number.

    Parameters
    ----------
    table : Tensor, Variable or array_like
        Of shape ``(n, k)``.
    ids : array_like of int
        Of any shape ``(...)``, from 0 to n - 1; unlike an index, a negative id is an error.

    Returns
    -------
    Tensor
        Of shape ``(..., k)``.

    Raises
    ------
    RangeError
        If an id is outside the table; the first such id and its place are named.

    Notes
    -----
    **Gradient.** Rows that were asked for more than once add up.

    Examples
    --------
    >>> ak.nn.embedding([[1.0, 2.0], [3.0, 4.0]], [1, 1, 0]).numpy()
    array([[3., 4.],
           [3., 4.],
           [1., 2.]])
    """
    rows, numbers = lift(table), whole("embedding", "ids", ids)
    if not rows.ndim:
        raise ShapeError("embedding: the table is a single number; it needs rows")
    return rows[checked("embedding", "id", numbers, rows.shape[0]).reshape(numbers.shape)]


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
    **Gradient.** The path through the mean inside the variance carries the sum of deviations, which is 0; it is
    recorded all the same, since the second derivative needs it.

    Examples
    --------
    >>> [float(m) for m in ak.nn.moments([1.0, 2.0, 3.0, 4.0], 0)]
    [2.5, 1.25]
    """
    x = lift(x)
    away = x - mean(x, axis, True)
    return mean(x, axis, keepdims), mean(away * away, axis, keepdims)


# -------------------------------------------------------------------------------- losses
def _paired(name: str, labels: Any, others: Any) -> tuple[Tensor, Tensor]:
    left, right = lift(labels), lift(others)
    if left.shape != right.shape:
        raise ShapeError(f"{name}: {left.shape} beside {right.shape}; labels and predictions need one shape")
    return left, right


def _positive(name: str, what: str, given: Any) -> float:
    try:
        value = float(plain(given))
    except (TypeError, ValueError) as error:
        raise DtypeError(f"{name}: {what} is a number, got {given!r}") from error
    if not value > 0:
        raise StructureError(f"{name}: {what} is a number above 0, got {value:g}")
    return value


def softmax_cross_entropy(labels: Any, logits: Any) -> Tensor:
    """Cross-entropy of labels that are shares of each class, a loss for each row.

    Parameters
    ----------
    labels : Tensor or array_like
        ``(..., classes)``, each row from 0 to 1 and of sum 1, such as one-hot rows.
    logits : Tensor or array_like
        Of the same shape, before any softmax.

    Returns
    -------
    Tensor
        Of shape ``(...)``.

    Raises
    ------
    ShapeError
        If the shapes differ, or there is no axis of classes.

    See Also
    --------
    sparse_softmax_cross_entropy : the same for labels that are whole numbers.

    Notes
    -----
    **Gradient.** To the logits, softmax minus labels for rows of sum 1.

    Examples
    --------
    >>> round(float(ak.nn.softmax_cross_entropy([0.0, 1.0, 0.0], [0.0, 1.0, 2.0])), 4)
    1.4076
    """
    shares, x = _paired("softmax_cross_entropy", labels, logits)
    if not x.ndim:
        raise ShapeError("softmax_cross_entropy: a single number has no axis of classes")
    return -(shares * log_softmax(x)).sum(axis=-1)


def sigmoid_cross_entropy(labels: Any, logits: Any) -> Tensor:
    """Cross-entropy of yes-or-no questions that do not exclude each other, entry by entry.

    Parameters
    ----------
    labels : Tensor or array_like
        0, 1, or a share between.
    logits : Tensor or array_like
        Of the same shape, before any sigmoid.

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
    **Gradient.** To the logits, sigmoid minus labels. Neither large nor small logits overflow.

    Examples
    --------
    >>> ak.nn.sigmoid_cross_entropy([1.0, 1.0], [0.0, -1000.0]).numpy().round(4)
    array([6.931e-01, 1.000e+03])
    """
    shares, x = _paired("sigmoid_cross_entropy", labels, logits)
    return shares * softplus(-x) + (1.0 - shares) * softplus(x)


def huber(labels: Any, predictions: Any, delta: float = 1.0) -> Tensor:
    """Half the square of small errors, and of large ones a straight line, entry by entry.

    Parameters
    ----------
    labels, predictions : Tensor or array_like
        Of one shape.
    delta : float, optional
        Where the line begins, above 0.

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
    **Gradient.** The error, cut to between -delta and delta.

    References
    ----------
    .. [1] Huber, *Robust Estimation of a Location Parameter*, Annals of Mathematical Statistics 35, 1964.

    Examples
    --------
    >>> ak.nn.huber([0.0, 0.0], [0.5, 3.0]).numpy()
    array([0.125, 2.5  ])
    """
    true, guessed = _paired("huber", labels, predictions)
    bound = _positive("huber", "delta", delta)
    error = guessed - true
    small = clip(error, -bound, bound)
    return small * (error - 0.5 * small)
