"""Adam's movement where gradients have stopped, as each misconception computes it."""

from __future__ import annotations

from typing import Any

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
