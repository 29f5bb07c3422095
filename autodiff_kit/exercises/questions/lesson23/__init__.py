"""Lesson 23, the size of Adam's step: scale, weight decay, and rows that are seldom in a batch."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="23",
    slug="23_adam_step_size",
    title="The size of Adam's step: exercises",
    goal="Compute how long Adam's steps are, put weight decay where it belongs, and update only the rows of a batch.",
    minutes=35,
    reminders=(
        "Adam (lesson 15): `t += 1`, `m = b1·m + (1−b1)·g`, `v = b2·v + (1−b2)·g²`, and the step is `−lr·m̂/(√v̂ + eps)` with `m̂ = m/(1−b1ᵗ)` and `v̂ = v/(1−b2ᵗ)`. All slots start at 0.",
    ),
    rows=("B40", "B42"),
    keywords=("Adam", "learning rate", "weight decay", "AdamW", "sparse gradients"),
)
