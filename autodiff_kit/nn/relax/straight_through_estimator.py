"""The straight-through estimator: the value of one tensor with the gradient of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.errors import StructureError
from autodiff_kit.ops.custom_gradient import custom_gradient
from autodiff_kit.ops.selection import stop_gradient

__all__ = ["straight_through"]


def straight_through(hard: Any, soft: Any) -> Tensor:
    """The value of ``hard`` with the gradient of ``soft``.

    Parameters
    ----------
    hard, soft : Tensor or array_like
        Of one shape; ``straight_through(ak.floor(x), x)`` is floor with the gradient of the identity.

    Returns
    -------
    Tensor

    Notes
    -----
    **Gradient.** That of ``soft``; ``hard`` gets none.

    Examples
    --------
    >>> x = ak.Variable(1.7)
    >>> with ak.GradientTape() as tape:
    ...     y = ak.relax.straight_through(ak.floor(x), x)
    >>> float(y), float(tape.gradient(y, x))
    (1.0, 1.0)
    """
    value = stop_gradient(hard)._value
    return custom_gradient(_ValueWithGradientOf(value))(as_tensor(soft))


class _ValueWithGradientOf:
    """A function that returns a fixed value and passes cotangents and tangents through unchanged."""

    __name__ = "straight_through"

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, soft: Tensor) -> tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]:
        if np.shape(self.value) != soft.shape:
            raise StructureError(f"hard has shape {np.shape(self.value)} and soft has {soft.shape}; they must be equal")
        return self.value, lambda g: g, lambda t: t
