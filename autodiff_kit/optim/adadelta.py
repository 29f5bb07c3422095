"""Adadelta."""

from __future__ import annotations

from typing import Any, ClassVar

from autodiff_kit.optim.inplace import Slots, decay_and_add, square_root, zeros_like
from autodiff_kit.optim.optimizer import Optimizer, Settings
from autodiff_kit.optim.validation import fraction, non_negative

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Adadelta: gradient steps scaled by the ratio of the size of recent updates to that of recent gradients.

    Parameters
    ----------
    learning_rate : float, optional
        Factor of the step; the method has none, which is 1.
    decay : float, optional
        Factor of the two running means at each step.
    epsilon : float, optional
        Added to both means before their roots are taken. The first steps are about as long as its root.

    Notes
    -----
    Slots "square_avg": ``s ← decay·s + (1-decay)·g²``; "acc_delta": ``a ← decay·a + (1-decay)·u²`` with
    ``u = g·√(a + epsilon)/√(s + epsilon)``, where ``a`` is the mean before this step. The step is ``-learning_rate·u``.
    Slots and steps of a float16 variable are computed in float32.

    References
    ----------
    .. [1] Zeiler, *ADADELTA: An Adaptive Learning Rate Method*, arXiv:1212.5701, 2012.

    Examples
    --------
    >>> w = ak.Variable([0.0, 0.0])
    >>> opt = ak.optim.Adadelta()
    >>> for _ in range(2):
    ...     opt.apply_gradients([([1.0, 1000.0], w)])
    >>> w.numpy().round(6)
    array([-0.006407, -0.006407])
    """

    _slots = ("square_avg", "acc_delta")
    _settings: ClassVar[Settings] = Optimizer._settings | {"decay": fraction, "epsilon": non_negative}

    def __init__(self, learning_rate: float = 1.0, decay: float = 0.9, epsilon: float = 1e-6) -> None:
        super().__init__(learning_rate)
        self.decay, self.epsilon = decay, epsilon

    def _initial_slots(self, like: Any) -> Slots:
        return {"square_avg": zeros_like(like), "acc_delta": zeros_like(like)}

    def _update(self, w: Any, g: Any, slots: Slots) -> Any:
        fresh = 1.0 - self.decay
        slots["square_avg"] = s = decay_and_add(slots["square_avg"], self.decay, fresh * (g * g))
        u = g * (square_root(slots["acc_delta"] + self.epsilon) / square_root(s + self.epsilon))
        slots["acc_delta"] = decay_and_add(slots["acc_delta"], self.decay, fresh * (u * u))
        return -self.learning_rate * u
