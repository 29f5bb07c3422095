"""Adam with its slots, and constants to draw: those of lesson 15."""

from __future__ import annotations

from autodiff_kit.exercises.questions.lesson15.shared import (
    Slots,
    adam_with_mistake,
    initial_slots,
    random_constants,
    require_slot,
)

__all__ = ["Slots", "adam_with_mistake", "initial_slots", "random_constants", "require_slot"]
