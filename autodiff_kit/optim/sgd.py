"""Steps along the gradient: plain, with momentum, and scaled by its root mean square."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.validation import flag
from autodiff_kit.optim.inplace import Slots, fading, zeros
from autodiff_kit.optim.optimizer import Optimizer
from autodiff_kit.optim.validation import fraction, not_negative

__all__ = ["SGD", "RMSProp"]


def _root(x: Any) -> Any:
    return x**0.5 if type(x) is float else np.sqrt(x)


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if wanted.

    Parameters
    ----------
    learning_rate : float
    momentum : float, optional
        How much of the slot lives on at each step.
    nesterov : bool, optional
        Whether to look one step ahead.

    Notes
    -----
    Slot "momentum": ``u ← momentum·u + g``; the step is ``-learning_rate·u``, or with Nesterov
    ``-learning_rate·(g + momentum·u)``. Without momentum there is no slot, and a :class:`RowGradient` steps its rows
    only.

    Examples
    --------
    >>> w = ak.Variable([1.0, -2.0])
    >>> opt = ak.optim.SGD(0.1, momentum=0.9)
    >>> for g in ([1.0, 2.0], [0.0, 1.0], [0.0, 0.0]):
    ...     opt.apply_gradients([(g, w)])
    >>> w.numpy()
    array([ 0.729, -2.732])
    """

    _settings = ("learning_rate", "momentum", "nesterov")

    def __init__(self, learning_rate: float, momentum: float = 0.0, nesterov: bool = False) -> None:
        super().__init__(learning_rate)
        self.momentum = not_negative("momentum", momentum)
        self.nesterov = flag("nesterov", nesterov)
        self._slots = self._slots_with({"momentum": momentum})

    def _slots_with(self, settings: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum",) if settings["momentum"] else ()

    @property
    def _by_rows(self) -> bool:  # type: ignore[override]
        return not self._slots  # where nothing is kept, a row without a gradient would not move anyway

    def _fresh(self, like: Any) -> Slots:
        return {"momentum": zeros(like)} if self._slots else {}

    def _step(self, w: Any, g: Any, slots: Slots) -> Any:
        if not self._slots:
            return -self.learning_rate * g
        slots["momentum"] = u = fading(slots["momentum"], self.momentum, g)
        return -self.learning_rate * (g + self.momentum * u if self.nesterov else u)


class RMSProp(Optimizer):
    """Steps divided by the root of a running mean of squared gradients.

    Parameters
    ----------
    learning_rate : float
    decay : float, optional
    momentum : float, optional
    epsilon : float, optional
        Stands beside the root.
    initial_accumulator : float, optional
        What the running mean begins with.

    Notes
    -----
    Slots "rms": ``s ← decay·s + (1-decay)·g²``; "momentum": ``u ← momentum·u + learning_rate·g/(√s + epsilon)``; the
    step is ``-u``.

    Examples
    --------
    >>> w = ak.Variable(0.0)
    >>> opt = ak.optim.RMSProp(0.1)
    >>> opt.apply_gradients([(1.0, w)])
    >>> round(float(w), 6)
    -0.316228
    """

    _slots = ("rms", "momentum")
    _settings = ("learning_rate", "decay", "momentum", "epsilon", "initial_accumulator")

    def __init__(
        self,
        learning_rate: float,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-8,
        initial_accumulator: float = 0.0,
    ) -> None:
        super().__init__(learning_rate)
        self.decay = fraction("decay", decay)
        self.momentum = not_negative("momentum", momentum)
        self.epsilon = not_negative("epsilon", epsilon)
        self.initial_accumulator = not_negative("initial_accumulator", initial_accumulator)

    def _fresh(self, like: Any) -> Slots:
        return {"rms": zeros(like) + self.initial_accumulator, "momentum": zeros(like)}

    def _step(self, w: Any, g: Any, slots: Slots) -> Any:
        slots["rms"] = s = fading(slots["rms"], self.decay, (1.0 - self.decay) * (g * g))
        news = self.learning_rate * g / (_root(s) + self.epsilon)
        slots["momentum"] = u = fading(slots["momentum"], self.momentum, news)
        return -u
