"""Stochastic gradient descent, plain or with (Nesterov) momentum."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, ClassVar

import numpy as np

from autodiff_kit import kernels
from autodiff_kit.core.validation import check_flag
from autodiff_kit.core.variable import Variable
from autodiff_kit.optim.inplace import OwnedSlots, Slots, decay_and_add, writable_array, zeros_like
from autodiff_kit.optim.optimizer import Optimizer, Settings
from autodiff_kit.optim.validation import non_negative

__all__ = ["SGD"]


class SGD(Optimizer):
    """Stochastic gradient descent, optionally with momentum.

    Parameters
    ----------
    learning_rate : float
    momentum : float, optional
        Factor of the slot at each step.
    nesterov : bool, optional
        Whether to use Nesterov momentum.

    Notes
    -----
    Slot "momentum": ``u ← momentum·u + g``; the step is ``-learning_rate·u``, or with Nesterov
    ``-learning_rate·(g + momentum·u)``. Without momentum there is no slot, and a :class:`RowGradient` updates its
    rows only. Slots and steps of a float16 variable are computed in float32.

    Examples
    --------
    >>> w = ak.Variable([1.0, -2.0])
    >>> opt = ak.optim.SGD(0.1, momentum=0.9)
    >>> for g in ([1.0, 2.0], [0.0, 1.0], [0.0, 0.0]):
    ...     opt.apply_gradients([(g, w)])
    >>> w.numpy()
    array([ 0.729, -2.732])
    """

    _settings: ClassVar[Settings] = Optimizer._settings | {"momentum": non_negative, "nesterov": check_flag}

    def __init__(self, learning_rate: float, momentum: float = 0.0, nesterov: bool = False) -> None:
        super().__init__(learning_rate)
        self.momentum = momentum
        self.nesterov = nesterov

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; with the first momentum the slots begin at 0, and without momentum there are none."""
        super().__setattr__(name, value)
        if name == "momentum" and (names := self._slots_with({"momentum": self.momentum})) != self._slots:
            self._slots = names
            for variable, _ in self._state.values():
                self._last[id(variable)] = self._last_update_of(variable)  # it may have to be computed from the slots
                self._state[id(variable)] = (variable, self._new_slots(variable))

    def _slots_with(self, settings: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum",) if settings["momentum"] else ()

    @property
    def _supports_row_updates(self) -> bool:  # type: ignore[override]
        return not self._slots  # without slots, a row without a gradient does not move anyway

    def _initial_slots(self, like: Any) -> Slots:
        return {"momentum": zeros_like(like)} if self._slots else {}

    def _update(self, w: Any, g: Any, slots: Slots) -> Any:
        if not self._slots:
            return -self.learning_rate * g
        slots["momentum"] = u = decay_and_add(slots["momentum"], self.momentum, g)
        return -self.learning_rate * (g + self.momentum * u if self.nesterov else u)

    def _step(self, variable: Variable, g: Any, slots: OwnedSlots) -> Any:
        fits = type(g) is np.ndarray and g.dtype.char in "fd" and g.flags.c_contiguous
        ours = not self._slots and type(self)._update is SGD._update
        if not (fits and ours) or (loop := kernels.compiled_loop("add_multiple")) is None:
            return super()._step(variable, g, slots)
        factor = g.dtype.type(-self.learning_rate)
        loop(writable_array(variable).ravel(), g.ravel(), factor)
        if g.base is not None and getattr(g.base, "nbytes", math.inf) > 2 * g.nbytes:
            g = g.copy()  # rather than keep the larger array that it is a part of
        return partial(np.multiply, g, factor)
