"""Adam's movement where gradients have stopped, as each misconception computes it."""

from __future__ import annotations

from typing import Any

from ..shared import adam_with_mistake, initial_slots
from . import solution


def movement_with_mistake(
    gradients: Any, kind: str, *, zero_is_none: bool = False, none_is_zero: bool = False, **constants: Any
) -> Any:
    """Real and ghost motion with zeros skipped, or None taken for zero."""
    if none_is_zero:
        gradients = [0.0 if g is None else g for g in gradients]
    if zero_is_none:
        gradients = [None if g == 0 else g for g in gradients]
    return solution.motion(gradients, kind, **constants)


def movement_by_size(gradients: Any, kind: str, **constants: Any) -> Any:
    """Real and ghost motion, where a small gradient counts as 0 (what it adds to the slots is below any tolerance)."""
    return solution.motion([0.0 if g is not None and abs(g) < 1e-9 else g for g in gradients], kind, **constants)


def movement_counting_none(gradients: Any, kind: str, lr: float, b1: float, b2: float, eps: float) -> Any:
    """Real and ghost motion, where t counts the None as well."""
    if kind != "adam":
        return solution.motion(gradients, kind, lr, b1, b2, eps)
    w, slots, sums = 0.0, initial_slots(), [0.0, 0.0]
    for g in gradients:
        x, slots = adam_with_mistake(w, g, slots, lr, b1, b2, eps, clock_runs=True)
        if g is not None:
            sums[int(g == 0)] += x - w
        w = x
    return sums


def movement_without_bias_correction(gradients: Any, kind: str, lr: float, b1: float, b2: float, eps: float) -> Any:
    """Real and ghost motion; for adam from m and v as they are."""
    if kind != "adam":
        return solution.motion(gradients, kind, lr, b1, b2, eps)
    w, slots, sums = 0.0, initial_slots(), [0.0, 0.0]
    for g in gradients:
        x, slots = adam_with_mistake(w, g, slots, lr, b1, b2, eps, bias=False)
        sums[int(g == 0)] += x - w
        w = x
    return sums
