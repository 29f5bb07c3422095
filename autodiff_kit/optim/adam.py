"""Adam and AdamW."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.optim.base import Optimizer, Slots, _positive
from autodiff_kit.optim.descent import _root
from autodiff_kit.optim.rows import RowGradient

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

    def __init__(
        self,
        learning_rate: float = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy: bool = False,
    ) -> None:
        super().__init__(learning_rate)
        self.beta1 = _positive("beta1", beta1)
        self.beta2 = _positive("beta2", beta2)
        self.epsilon = _positive("epsilon", epsilon)
        self.lazy = lazy

    def _fresh(self, like: Any) -> Slots:
        return {"m": 0.0 * like, "v": 0.0 * like, "t": 0}

    def _step(self, w: Any, g: Any, slots: Slots) -> tuple[Slots, Any]:
        t = int(slots["t"]) + 1
        corrections = 1.0 - self.beta1**t, 1.0 - self.beta2**t
        m, v, step = self._means(g, slots["m"], slots["v"], *corrections)
        return {"m": m, "v": v, "t": t}, -step

    def _means(self, g: Any, m: Any, v: Any, c1: float, c2: float) -> tuple[Any, Any, Any]:
        loop = kernels.ready("adam_step") if type(g) is np.ndarray and g.dtype.char in "fd" else None
        if loop is not None:
            return self._means_compiled(loop, g, m, v, c1, c2)
        m = self.beta1 * m + (1.0 - self.beta1) * g
        v = self.beta2 * v + ((1.0 - self.beta2) * g) * g
        return m, v, self.learning_rate * (m / c1) / (_root(v / c2) + self.epsilon)

    def _means_compiled(self, loop: Any, g: Any, m: Any, v: Any, c1: float, c2: float) -> tuple[Any, Any, Any]:
        one = g.dtype.type
        g = np.asarray(g, order="C")  # keeps a number a number
        m, v, step = np.array(m, g.dtype), np.array(v, g.dtype), np.empty(g.shape, g.dtype)
        b1, b2 = self.beta1, self.beta2
        numbers = (b1, 1.0 - b1, b2, 1.0 - b2, c1, c2, self.learning_rate, self.epsilon)
        flat = (step.reshape(-1), g.reshape(-1), m.reshape(-1), v.reshape(-1), step.reshape(-1))
        loop(*flat, *map(one, numbers))
        return m, v, step

    def _step_rows(self, w: Any, g: RowGradient, slots: Slots) -> tuple[Slots, Any]:
        if not self.lazy:
            return self._step(w, np.asarray(g, w.dtype), slots)
        part = {"m": slots["m"][g.ids], "v": slots["v"][g.ids], "t": slots["t"]}
        new, delta = self._step(w[g.ids], g.rows.astype(w.dtype), part)
        return {
            "m": _put(slots["m"], g.ids, new["m"]),
            "v": _put(slots["v"], g.ids, new["v"]),
            "t": new["t"],
        }, _put(np.zeros_like(w), g.ids, delta)


def _put(table: Any, ids: Any, rows: Any) -> Any:
    out = np.array(table)
    out[ids] = rows
    return out


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
        self.weight_decay = _positive("weight_decay", weight_decay)

    def _step(self, w: Any, g: Any, slots: Slots) -> tuple[Slots, Any]:
        new, delta = super()._step(w, g, slots)
        return new, delta - self.learning_rate * self.weight_decay * w
