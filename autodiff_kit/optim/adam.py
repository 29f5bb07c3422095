"""Adam and AdamW."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.tensor import Variable
from autodiff_kit.core.validation import flag
from autodiff_kit.optim.inplace import Own, Slots, fading, own_array, zeros
from autodiff_kit.optim.optimizer import Optimizer
from autodiff_kit.optim.sgd import _root
from autodiff_kit.optim.validation import fraction, not_negative

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Steps from running means of gradients and of their squares.

    Parameters
    ----------
    learning_rate : float, optional
    beta1, beta2 : float, optional
        How much of each running mean lives on.
    epsilon : float, optional
        Stands beside the root.
    lazy : bool, optional
        Whether a :class:`RowGradient` steps its rows only. All rows share one clock.

    Notes
    -----
    Slots "m": ``m ← β₁m + (1-β₁)g``, "v": ``v ← β₂v + (1-β₂)g²``, "t": steps taken. The step is
    ``-learning_rate · m/(1-β₁ᵗ) / (√(v/(1-β₂ᵗ)) + epsilon)``. A gradient of 0 is news, and m goes on moving the
    weight; None is no step.

    References
    ----------
    .. [1] Kingma and Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015.

    Examples
    --------
    >>> w = ak.Variable(0.0)
    >>> opt = ak.optim.Adam(0.1)
    >>> for g in [1.0] + 99 * [0.0]:
    ...     opt.apply_gradients([(g, w)])
    >>> round(float(w), 6)
    -0.600522
    """

    _slots = ("m", "v", "t")
    _settings: ClassVar[tuple[str, ...]] = ("learning_rate", "beta1", "beta2", "epsilon", "lazy")
    _decay = 0.0

    def __init__(
        self,
        learning_rate: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy: bool = False,
    ) -> None:
        super().__init__(learning_rate)
        self.beta1 = fraction("beta1", beta1)
        self.beta2 = fraction("beta2", beta2)
        self.epsilon = not_negative("epsilon", epsilon)
        self.lazy = flag("lazy", lazy)

    @property
    def _by_rows(self) -> bool:  # type: ignore[override]
        return self.lazy

    def _fresh(self, like: Any) -> Slots:
        return {"m": zeros(like), "v": zeros(like), "t": 0}

    def _step(self, w: Any, g: Any, slots: Slots) -> Any:
        slots["t"] = t = slots["t"] + 1
        slots["m"] = fading(slots["m"], self.beta1, (1.0 - self.beta1) * g)
        slots["v"] = fading(slots["v"], self.beta2, ((1.0 - self.beta2) * g) * g)
        delta = _against(slots, *self._scales(t))
        return delta - self.learning_rate * self._decay * w if self._decay else delta

    def _scales(self, t: Any) -> tuple[Any, Any]:
        return _corrected(t, self.beta1, self.beta2, self.learning_rate, self.epsilon)

    def _move(self, variable: Variable, g: Any, slots: Own) -> Any:
        loop = kernels.compiled_loop("adam_step") if type(g) is np.ndarray and g.ndim and g.dtype.char in "fd" else None
        if loop is None:
            return super()._move(variable, g, slots)
        if not g.flags.carray:  # in order and open to writing: the one layout that loops are compiled for
            g = g.copy(order="C")
        slots["t"] = t = slots["t"] + 1
        decay, rate = self._decay, self.learning_rate
        numbers = _numbers(t, self.beta1, self.beta2, rate, self.epsilon, rate * decay, g.dtype.char)
        m, v, delta, nothing = slots.room or _room(slots)
        loop(own_array(variable).ravel(), g.ravel(), m, v, delta if decay else nothing, numbers)
        return delta.reshape(g.shape) if decay else partial(_by_loop, slots, numbers)


def _corrected(t: Any, beta1: float, beta2: float, rate: float, epsilon: float) -> tuple[Any, Any]:
    """Rate and epsilon for means that began at 0; so each element takes one division only."""
    root = (1.0 - beta2**t) ** 0.5
    return rate * root / (1.0 - beta1**t), epsilon * root


@lru_cache(maxsize=16)
def _numbers(t: int, beta1: float, beta2: float, rate: float, epsilon: float, decay: float, kind: str) -> Any:
    """What the loop needs to know; the same for all variables of a step."""
    return np.array((beta1, 1.0 - beta1, beta2, 1.0 - beta2, *_corrected(t, beta1, beta2, rate, epsilon), decay), kind)


def _against(slots: Slots, rate: Any, epsilon: Any) -> Any:
    return -(rate * slots["m"] / (_root(slots["v"]) + epsilon))


def _by_loop(slots: Slots, numbers: Any) -> Any:
    """What the loop has added, where it has not written it down."""
    return _against(slots, numbers[4], numbers[5])


def _room(slots: Own) -> Any:
    """Means in one row, and where the loop leaves its step; without decay that follows from the means."""
    m, v = slots["m"].ravel(), slots["v"].ravel()
    delta = np.empty_like(m)
    slots.room = m, v, delta, delta[:0]
    return slots.room


class AdamW(Adam):
    """Adam with weight decay beside the gradient: ``w ← w - learning_rate · weight_decay · w`` at each step.

    Parameters
    ----------
    learning_rate, beta1, beta2, epsilon, lazy
        As in :class:`Adam`.
    weight_decay : float, optional

    Notes
    -----
    The decay acts by itself: also where the gradient is 0, but not where it is None.

    References
    ----------
    .. [1] Loshchilov and Hutter, *Decoupled Weight Decay Regularization*, ICLR 2019.

    Examples
    --------
    >>> w = ak.Variable(1.0)
    >>> opt = ak.optim.AdamW(0.1)
    >>> for _ in range(100):
    ...     opt.apply_gradients([(0.0, w)])
    >>> round(float(w), 6)
    0.904792
    """

    _settings = (*Adam._settings, "weight_decay")

    def __init__(
        self,
        learning_rate: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy: bool = False,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, lazy)
        self.weight_decay = not_negative("weight_decay", weight_decay)

    @property
    def _decay(self) -> float:  # type: ignore[override]
        return self.weight_decay
