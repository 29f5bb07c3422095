"""Adam, and AdamW with decoupled weight decay."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.validation import check_flag
from autodiff_kit.core.variable import Variable
from autodiff_kit.optim.inplace import OwnedSlots, Slots, decay_and_add, square_root, writable_array, zeros_like
from autodiff_kit.optim.optimizer import Optimizer, Settings
from autodiff_kit.optim.validation import fraction, non_negative

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    """Adam: steps from bias-corrected running means of gradients and of their squares.

    Parameters
    ----------
    learning_rate : float, optional
        The length of a step along a gradient that stays the same.
    beta1, beta2 : float, optional
        What the running means "m", of the gradients, and "v", of their squares, keep of their value at each step.
    epsilon : float, optional
        Added to the square root, so that nothing is divided by 0.
    lazy : bool, optional
        Whether a :class:`RowGradient`, which holds some rows of a table, moves those rows only. All rows share one
        step count. The gradient of a smaller table is dense and moves all rows; ``RowGradient(ids, rows, shape)`` is
        made by hand there.

    See Also
    --------
    AdamW : with weight decay.

    Notes
    -----
    The optimizer keeps three values for each variable, its slots. "m": ``m ← β₁m + (1-β₁)g``, "v":
    ``v ← β₂v + (1-β₂)g²``, "t": steps taken. The step is
    ``-learning_rate · m/(1-β₁ᵗ) / (√(v/(1-β₂ᵗ)) + epsilon)``. A gradient of 0 is a step, in which m still moves the
    weight; a gradient of None leaves the variable and its slots unchanged. Slots and steps of a float16 variable are
    computed in float32.

    References
    ----------
    .. [1] Kingma and Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015.

    Examples
    --------
    >>> w = ak.Variable(3.0)
    >>> opt = ak.optim.Adam(0.1)
    >>> for _ in range(200):
    ...     with ak.GradientTape() as tape:
    ...         loss = (w - 1.0) ** 2
    ...     opt.apply_gradients([(tape.gradient(loss, w), w)])
    >>> round(float(w), 2)
    1.0

    One gradient of 1, then 99 of 0: the weight goes on moving.

    >>> w = ak.Variable(0.0)
    >>> opt = ak.optim.Adam(0.1)
    >>> for g in [1.0] + 99 * [0.0]:
    ...     opt.apply_gradients([(g, w)])
    >>> round(float(w), 6)
    -0.600522
    """

    _slots = ("m", "v", "t")
    _settings: ClassVar[Settings] = Optimizer._settings | {
        "beta1": fraction, "beta2": fraction, "epsilon": non_negative, "lazy": check_flag
    }  # fmt: skip
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
        self.beta1, self.beta2 = beta1, beta2
        self.epsilon, self.lazy = epsilon, lazy

    @property
    def _supports_row_updates(self) -> bool:  # type: ignore[override]
        return self.lazy

    def _initial_slots(self, like: Any) -> Slots:
        return {"m": zeros_like(like), "v": zeros_like(like), "t": 0}

    def _update(self, w: Any, g: Any, slots: Slots) -> Any:
        slots["t"] = t = slots["t"] + 1
        slots["m"] = decay_and_add(slots["m"], self.beta1, (1.0 - self.beta1) * g)
        slots["v"] = decay_and_add(slots["v"], self.beta2, ((1.0 - self.beta2) * g) * g)
        delta = _negative_step(slots, *self._step_scales(t))
        return delta - self.learning_rate * self._decay * w if self._decay else delta

    def _step_scales(self, t: Any) -> tuple[Any, Any]:
        return _bias_corrected(t, self.beta1, self.beta2, self.learning_rate, self.epsilon)

    def _step(self, variable: Variable, g: Any, slots: OwnedSlots) -> Any:
        fits = type(g) is np.ndarray and g.ndim and g.dtype.char in "fd" and type(self)._update is Adam._update
        if not fits or (loop := kernels.compiled_loop("adam_step")) is None:
            return super()._step(variable, g, slots)
        if not g.flags.carray:  # contiguous and writable: the one layout that the kernels are compiled for
            g = g.copy(order="C")
        slots["t"] = t = slots["t"] + 1
        decay, rate = self._decay, self.learning_rate
        parameters = _loop_parameters(t, self.beta1, self.beta2, rate, self.epsilon, rate * decay, g.dtype.char)
        m, v, delta, empty = slots.buffers or _make_buffers(slots)
        loop(writable_array(variable).ravel(), g.ravel(), m, v, delta if decay else empty, parameters)
        return delta.reshape(g.shape) if decay else partial(_update_from_slots, slots, parameters)


def _bias_corrected(t: Any, beta1: float, beta2: float, rate: float, epsilon: float) -> tuple[Any, Any]:
    """Learning rate and epsilon with the bias correction in them, so that each element needs one division only."""
    root = (1.0 - beta2**t) ** 0.5
    return rate * root / (1.0 - beta1**t), epsilon * root


@lru_cache(maxsize=16)
def _loop_parameters(t: int, beta1: float, beta2: float, rate: float, epsilon: float, decay: float, kind: str) -> Any:
    """The parameters of the compiled loop, the same for all variables of a step."""
    return np.array(
        (beta1, 1.0 - beta1, beta2, 1.0 - beta2, *_bias_corrected(t, beta1, beta2, rate, epsilon), decay), kind
    )


def _negative_step(slots: Slots, rate: Any, epsilon: Any) -> Any:
    return -(rate * slots["m"] / (square_root(slots["v"]) + epsilon))


def _update_from_slots(slots: Slots, parameters: Any) -> Any:
    """The update that the compiled loop has made, computed from the slots when it is asked for."""
    return _negative_step(slots, parameters[4], parameters[5])


def _make_buffers(slots: OwnedSlots) -> Any:
    """Flat views of the slots, and an array for the update; without weight decay the update follows from the slots."""
    m, v = slots["m"].ravel(), slots["v"].ravel()
    delta = np.empty_like(m)
    slots.buffers = m, v, delta, delta[:0]
    return slots.buffers


class AdamW(Adam):
    """Adam with decoupled weight decay: ``w ← w - learning_rate · weight_decay · w`` at each step.

    Parameters
    ----------
    learning_rate, beta1, beta2, epsilon, lazy
        As in :class:`Adam`.
    weight_decay : float, optional

    Notes
    -----
    The decay does not go through the gradient: it also acts where the gradient is 0, but not where it is None.

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

    _settings = Adam._settings | {"weight_decay": non_negative}

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
        self.weight_decay = weight_decay

    @property
    def _decay(self) -> float:  # type: ignore[override]
        return self.weight_decay
