"""Lesson 05, rules for the way back: one's own, one that is swapped for a while, and what passes."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="05",
    slug="05_custom_gradients",
    title="Custom and overridden gradients: exercises",
    goal="Write a rule that is right in both tails, a valve that turns a gradient round, and swap a rule for one block only.",
    minutes=35,
    reminders=(
        "A rule for the way back, `pull`, gets what comes in, g, and gives back g times the slope (lesson 01).",
        "`np.where` works out both sides: what must not overflow has to be kept harmless before (lesson 03).",
    ),
    rows=("B10", "B27", "B28"),
    keywords=("custom gradient", "override", "straight-through", "log1pexp", "gradient reversal"),
)
