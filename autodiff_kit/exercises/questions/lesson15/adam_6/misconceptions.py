"""Optimizer slots migrated to new shapes, as each misconception moves them."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..shared import Slots, initial_slots
from . import solution


def migrate_by_position(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """The first slots for the first variable, and so on."""
    found = list(old.values())
    return {
        name: deepcopy(found[i]) if i < len(found) else initial_slots(s) for i, (name, s) in enumerate(shapes.items())
    }


def migrate_nothing(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """A new optimizer with empty slots."""
    return {name: initial_slots(shape) for name, shape in shapes.items()}


def migrate_whatever_the_shape(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """By name, also where the shape has changed."""
    return {name: deepcopy(old[name]) if name in old else initial_slots(shape) for name, shape in shapes.items()}


def migrate_without_step_count(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """Carry m and v over, and begin counting anew."""
    return {name: {**slots, "t": 0} for name, slots in solution.migrate(old, shapes).items()}


def migrate_keeping_step_counts(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """Empty slots for a changed shape, but with its t."""
    new = solution.migrate(old, shapes)
    return {name: {**slots, "t": old[name]["t"] if name in old else 0} for name, slots in new.items()}


def migrate_without(part: str, old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """Carry all but one part over."""
    return {name: {**slots, part: 0 * slots[part]} for name, slots in solution.migrate(old, shapes).items()}


def migrate_with_one_step_count(old: dict[str, Slots], shapes: dict[str, Any]) -> Any:
    """Give newcomers the old clock too."""
    t = max(slots["t"] for slots in old.values())
    return {name: {**slots, "t": t} for name, slots in solution.migrate(old, shapes).items()}
