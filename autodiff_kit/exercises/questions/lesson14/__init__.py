"""Lesson 14, the step is not the gradient: what slots add, the last step from slots, the gradient from steps."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="14",
    slug="14_step_is_not_gradient",
    title="The step is not the gradient: exercises",
    goal="Tell a step from a gradient: write three optimizers' steps, read the last step from the slots, and the gradient from two steps.",
    minutes=30,
    reminders=(
        "A gradient says which way is up, and how steep. A *step* is what the optimizer adds to the weights: −lr·g only where nothing is remembered.",
        "A *slot* is what an optimizer remembers of one weight between steps.",
    ),
    rows=("B39", "B40", "B42"),
    keywords=("optimizer", "momentum", "Nesterov", "RMSProp", "slots"),
)
