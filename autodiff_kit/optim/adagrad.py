"""Adagrad."""

from __future__ import annotations

from typing import Any, ClassVar

from autodiff_kit.optim.inplace import Slots, decay_and_add, square_root, zeros_like
from autodiff_kit.optim.optimizer import Optimizer, Settings
from autodiff_kit.optim.validation import non_negative

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    """Adagrad: gradient steps divided by the root of the sum of all squared gradients so far.

    Parameters
    ----------
    learning_rate : float, optional
    initial_accumulator : float, optional
        Initial value of the sum.
    epsilon : float, optional
        Added to the root.

    Notes
    -----
    Slot "accumulator": ``s ← s + g²``; the step is ``-learning_rate·g/(√s + epsilon)``. Steps become shorter, since the
    sum never falls; an entry that rarely has a gradient keeps longer ones. A gradient of 0 changes neither the weight
    nor the slot, so a :class:`RowGradient` updates its rows only. Slots and steps of a float16 variable are computed in
    float32.

    References
    ----------
    .. [1] Duchi, Hazan and Singer, *Adaptive Subgradient Methods for Online Learning and Stochastic Optimization*,
       Journal of Machine Learning Research 12, 2011.

    Examples
    --------
    >>> w = ak.Variable([0.0, 0.0])
    >>> opt = ak.optim.Adagrad(0.1)
    >>> for g in ([3.0, 0.0], [4.0, 4.0]):
    ...     opt.apply_gradients([(g, w)])
    >>> w.numpy()
    array([-0.18, -0.1 ])
    """

    _slots = ("accumulator",)
    _settings: ClassVar[Settings] = Optimizer._settings | {
        "initial_accumulator": non_negative, "epsilon": non_negative
    }  # fmt: skip
    _supports_row_updates = True

    def __init__(self, learning_rate: float = 0.01, initial_accumulator: float = 0.0, epsilon: float = 1e-10) -> None:
        super().__init__(learning_rate)
        self.initial_accumulator, self.epsilon = initial_accumulator, epsilon

    def _initial_slots(self, like: Any) -> Slots:
        return {"accumulator": zeros_like(like) + self.initial_accumulator}

    def _update(self, w: Any, g: Any, slots: Slots) -> Any:
        slots["accumulator"] = s = decay_and_add(slots["accumulator"], 1.0, g * g)
        return -self.learning_rate * g / (square_root(s) + self.epsilon)
