"""RMSProp."""

from __future__ import annotations

from typing import Any, ClassVar

from autodiff_kit.optim.inplace import Slots, decay_and_add, square_root, zeros_like
from autodiff_kit.optim.optimizer import Optimizer, Settings
from autodiff_kit.optim.validation import fraction, non_negative

__all__ = ["RMSProp"]


class RMSProp(Optimizer):
    """RMSProp: gradient steps divided by the root of a running mean of squared gradients.

    Parameters
    ----------
    learning_rate : float
    decay : float, optional
        Factor of the running mean at each step.
    momentum : float, optional
    epsilon : float, optional
        Added to the root.
    initial_accumulator : float, optional
        Initial value of the running mean.

    Notes
    -----
    Slots "rms": ``s ← decay·s + (1-decay)·g²``; "momentum": ``u ← momentum·u + learning_rate·g/(√s + epsilon)``; the
    step is ``-u``. Slots and steps of a float16 variable are computed in float32.

    Examples
    --------
    >>> w = ak.Variable(0.0)
    >>> opt = ak.optim.RMSProp(0.1)
    >>> opt.apply_gradients([(1.0, w)])
    >>> round(float(w), 6)
    -0.316228
    """

    _slots = ("rms", "momentum")
    _settings: ClassVar[Settings] = Optimizer._settings | {
        "decay": fraction, "momentum": non_negative, "epsilon": non_negative, "initial_accumulator": non_negative
    }  # fmt: skip

    def __init__(
        self,
        learning_rate: float,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-8,
        initial_accumulator: float = 0.0,
    ) -> None:
        super().__init__(learning_rate)
        self.decay, self.momentum = decay, momentum
        self.epsilon, self.initial_accumulator = epsilon, initial_accumulator

    def _initial_slots(self, like: Any) -> Slots:
        return {"rms": zeros_like(like) + self.initial_accumulator, "momentum": zeros_like(like)}

    def _update(self, w: Any, g: Any, slots: Slots) -> Any:
        slots["rms"] = s = decay_and_add(slots["rms"], self.decay, (1.0 - self.decay) * (g * g))
        increment = self.learning_rate * g / (square_root(s) + self.epsilon)
        slots["momentum"] = u = decay_and_add(slots["momentum"], self.momentum, increment)
        return -u
