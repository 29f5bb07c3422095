"""Running means of classes over mini-batches: class_means, ClassMeans."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.tracer import concrete_only
from autodiff_kit.errors import ShapeError, StructureError
from autodiff_kit.nn.segment.reductions import segment_mean
from autodiff_kit.nn.segment.validation import fraction_array, integer_array, segment_count
from autodiff_kit.ops.selection import stop_gradient, where

__all__ = ["ClassMeans", "class_means"]

Array = np.ndarray[Any, Any]


def class_means(data: Any, labels: Any, num_classes: Any = None, previous: Any = None, rate: Any = 0.1) -> Tensor:
    """Mean of the rows of each class, as a moving average with the means of earlier batches.

    Parameters
    ----------
    data : Tensor or array_like
        A row for each example, ``(n, ...)``.
    labels : array_like of int
        Class index of each row, ``(n,)``.
    num_classes : int, optional
        By default the number of rows of ``previous``, or the largest label plus one.
    previous : Tensor, Variable or array_like, optional
        Means so far, ``(num_classes, ...)``. By default the result is the means of this batch, 0 for a class without
        rows.
    rate : float or array_like, optional
        Weight of this batch's mean in the moving average, from 0 to 1; one number or one for each class.

    Returns
    -------
    Tensor
        ``(num_classes, ...)``. A class that is not in the batch keeps its previous mean.

    Raises
    ------
    RangeError
        If a label is negative, or ``num_classes`` or more; the first such label and its position are named.
    ShapeError, DtypeError, StructureError
        If the shapes do not fit, labels are not integers, or the rate is outside 0 to 1.

    See Also
    --------
    ClassMeans : stores the means, and counts the rows seen.

    Notes
    -----
    **Gradient.** To the rows of this batch, ``rate`` divided by the number of rows of the class; to ``previous`` the
    rest. If a variable stores the means, pass their values: ``previous=means.numpy()``.

    Examples
    --------
    >>> ak.segment.class_means([1.0, 3.0, 8.0], [0, 0, 2], previous=[0.0, 5.0, 4.0], rate=0.5).numpy()
    array([1., 5., 6.])
    """
    if previous is None:
        fraction_array("class_means", "rate", rate)
        return segment_mean(data, labels, num_classes)
    before = as_tensor(previous)
    count = len(before) if num_classes is None and before.ndim else num_classes
    now = segment_mean(data, labels, count)
    if before.shape != now.shape:
        raise ShapeError(f"class_means: the previous means have shape {before.shape}, the new ones {now.shape}")
    rates = _rates_of_present_classes(labels, len(now), rate, now)
    moved: Tensor = before + rates * (now - where(rates != 0, before, now))  # 0 times an infinite mean would be nan
    return moved


def _rates_of_present_classes(labels: Any, count: int, rate: Any, now: Tensor) -> Array:
    """The rate of each class that occurs in the batch, 0 for the others."""
    rates = fraction_array("class_means", "rate", rate).astype(now.dtype if now.dtype.kind == "f" else np.float64)
    if rates.shape not in ((), (count,)):
        raise ShapeError(f"class_means: the rate must be one number or {count} numbers, got shape {rates.shape}")
    present = np.bincount(_flat_labels(labels), minlength=count) > 0
    weights: Array = np.where(present, rates, 0).reshape(count, *(1,) * (now.ndim - 1))
    return weights.astype(rates.dtype, copy=False)


def _flat_labels(labels: Any) -> Any:
    return integer_array("class_means", "labels", labels).reshape(-1)


def _checked_decay(given: Any) -> float:
    decay = fraction_array("ClassMeans", "decay", given)
    if decay.ndim or decay == 1:
        raise StructureError(f"ClassMeans: the decay must be one number from 0 up to 1, exclusive, got {given!r}")
    return float(decay)


@concrete_only
def _have_numbers(*_: Any) -> bool:
    """Whether values have numbers; None while ak.compile traces a function of them."""
    return True


class ClassMeans:
    """Running means of classes over all batches seen.

    Parameters
    ----------
    num_classes : int
    decay : float, optional
        Weight of the old mean in the new one, from 0 up to 1, exclusive: recent batches then count more. By default
        all rows count equally, and the means are those of all rows seen.

    Attributes
    ----------
    means : Tensor or None
        ``(num_classes, ...)``; 0 for a class that was never seen. None before the first batch.
    counts : ndarray of int
        Number of rows seen of each class.

    Raises
    ------
    StructureError, DtypeError
        If the number of classes or the decay is out of range.

    Notes
    -----
    **Gradient.** The result of :meth:`update` has a gradient with respect to the rows of its batch; earlier batches are
    constants, so that the tape does not grow from batch to batch.

    Examples
    --------
    >>> centers = ak.segment.ClassMeans(2)
    >>> _ = centers.update([[1.0], [3.0]], [0, 0])
    >>> centers.update([[8.0], [6.0]], [0, 1]).tolist()
    [[4.0], [6.0]]
    """

    def __init__(self, num_classes: Any, decay: float | None = None) -> None:
        count = segment_count("ClassMeans", "num_classes", num_classes)
        self.decay = None if decay is None else _checked_decay(decay)
        self.means: Tensor | None = None
        self.counts = np.zeros(count, np.int64)

    def update(self, data: Any, labels: Any) -> Tensor:
        """Update the means with a batch, and return them; the result is differentiable with respect to the rows.

        Parameters
        ----------
        data : Tensor or array_like
            ``(n, ...)``.
        labels : array_like of int
            ``(n,)``.

        Returns
        -------
        Tensor
            ``(num_classes, ...)``.

        Raises
        ------
        RangeError, ShapeError, DtypeError
            As :func:`class_means`; the means are unchanged then.

        Examples
        --------
        >>> centers = ak.segment.ClassMeans(2, decay=0.5)
        >>> [centers.update([[x]], [1]).tolist() for x in (4.0, 2.0)]
        [[[0.0], [4.0]], [[0.0], [3.0]]]
        """
        if not _have_numbers(as_tensor(data)._value, unwrap(labels)):
            raise StructureError(
                "ClassMeans keeps means between calls, but ak.compile would record them only once. Call update "
                "outside of "
                "the compiled function, or keep the means in a variable and use class_means."
            )
        size = self.counts.size
        if self.means is None:
            means = segment_mean(data, labels, size)
            seen = np.bincount(_flat_labels(labels), minlength=size)
        else:
            inside = _flat_labels(labels)
            inside = inside[(inside >= 0) & (inside < size)]  # class_means says which label is outside
            seen = np.bincount(inside, minlength=size)
            means = class_means(data, labels, size, self.means, self._batch_weights(seen))
        self.counts = self.counts + seen
        self.means = stop_gradient(means)
        return means

    def _batch_weights(self, seen: Array) -> Array:
        """Weight of a batch in the new means; 1 for a class that is seen for the first time."""
        if self.decay is None:
            return seen / np.maximum(self.counts + seen, 1)
        return np.where(self.counts == 0, 1.0, 1.0 - self.decay)
