"""Adam with weight decay or a penalty, as each misconception places the decay."""

from __future__ import annotations

from typing import Any

from ..shared import Slots, adam_with_mistake
from . import solution


def always(decoupled: bool) -> Any:
    """One of the two kinds for both."""

    def step(w: Any, g: Any, slots: Slots, **constants: Any) -> Any:
        return solution.decayed_step(w, g, slots, **{**constants, "decoupled": decoupled})

    return step


def without_the_learning_rate(
    w: Any, g: Any, slots: Slots, decay: float, decoupled: bool, lr: float, **constants: Any
) -> Any:
    """AdamW takes away decay · w, not lr · decay · w."""
    if not decoupled:
        return solution.decayed_step(w, g, slots, lr, **constants, decay=decay, decoupled=False)
    moved, new = adam_with_mistake(w, g, slots, lr, **constants)
    return moved - decay * w, new


def twice_the_penalty(w: Any, g: Any, slots: Slots, decay: float, decoupled: bool, **constants: Any) -> Any:
    """The penalty is taken to be decay · w², whose gradient is 2 · decay · w."""
    return solution.decayed_step(w, g, slots, **constants, decay=decay if decoupled else 2 * decay, decoupled=decoupled)


def half_the_penalty(w: Any, g: Any, slots: Slots, decay: float, decoupled: bool, **constants: Any) -> Any:
    """The gradient of the penalty is taken to be decay / 2 · w."""
    return solution.decayed_step(w, g, slots, **constants, decay=decay if decoupled else decay / 2, decoupled=decoupled)


def penalty_as_a_gradient(w: Any, g: Any, slots: Slots, decay: float, decoupled: bool, **constants: Any) -> Any:
    """The penalty itself is added to the gradient."""
    added = g if decoupled else g + decay / 2 * w**2 - decay * w
    return solution.decayed_step(w, added, slots, **constants, decay=decay, decoupled=decoupled)


def after_the_step(w: Any, g: Any, slots: Slots, decay: float, decoupled: bool, lr: float, **constants: Any) -> Any:
    """AdamW shrinks the w that the step has already moved."""
    if not decoupled:
        return solution.decayed_step(w, g, slots, lr, **constants, decay=decay, decoupled=False)
    moved, new = adam_with_mistake(w, g, slots, lr, **constants)
    return moved - lr * decay * moved, new
