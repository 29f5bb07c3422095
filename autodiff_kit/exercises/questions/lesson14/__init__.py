"""Lesson 14, the step is not the gradient: steps of three optimizers, the last step, a gradient from two steps."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="14",
    slug="14_step_is_not_gradient",
    title="The step is not the gradient: exercises",
    goal="Compute the steps of three optimizers, the last step from the slots, and the gradient from two steps.",
    minutes=30,
    reminders=(
        "A *step* is what an optimizer adds to a weight. For plain SGD it is −lr·g.",
        "A *slot* is a number that an optimizer stores for each weight between steps. Momentum (lesson 14): `u = b·u + g`, and the step is `−lr·u`.",
    ),
    rows=("B39", "B40", "B42"),
    keywords=("optimizer", "momentum", "Nesterov", "RMSProp", "slots"),
)
