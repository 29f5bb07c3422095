"""Lesson 15, Adam's slots: the update rule, gradients of 0, None, and freezing."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="15",
    slug="15_adam_slots",
    title="Adam slots: exercises",
    goal="Write Adam's step, say how far zeros move a weight, freeze entries, stop a weight, and carry slots to a new model.",
    minutes=60,
    reminders=(
        "`None` and 0 are different (lesson 02): `None` says that no path leads from the loss to the variable; 0 is a gradient like any other. An optimizer skips a `None` and makes a step with a 0.",
        "Adam (lesson 15): `t += 1`, `m = b1·m + (1−b1)·g`, `v = b2·v + (1−b2)·g²`, and the step is `−lr·m̂/(√v̂ + eps)` with `m̂ = m/(1−b1ᵗ)` and `v̂ = v/(1−b2ᵗ)`. All slots start at 0.",
    ),
    rows=("B39", "B40", "B41", "B42"),
    keywords=("Adam", "momentum", "slots", "freezing", "None"),
)
