"""Optimizer slots migrated to new shapes, as each misconception moves them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..shared import Slots, fresh
from . import solution


def move_by_position(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """The first slots for the first variable, and so on."""
    found = list(old.values())
    return {name: deepcopy(found[i]) if i < len(found) else fresh(s) for i, (name, s) in enumerate(shapes.items())}


def move_nothing(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """A new optimizer with empty slots."""
    return {name: fresh(shape) for name, shape in shapes.items()}


def move_without_clock(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """Carry m and v over, and begin counting anew."""
    return {name: {**slots, "t": 0} for name, slots in solution.migrate(old, shapes).items()}


def move_with_one_clock(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """Give newcomers the old clock too."""
    t = max(slots["t"] for slots in old.values())
    return {name: {**slots, "t": t} for name, slots in solution.migrate(old, shapes).items()}
