"""Lesson 05, custom gradients: a rule of your own, and a rule that is replaced inside a block."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="05",
    slug="05_custom_gradients",
    title="Custom and overridden gradients: exercises",
    goal="Write a gradient that is right for very large and very small x, one that clips and reverses, and replace a rule inside one block only.",
    minutes=35,
    reminders=(
        "A rule, here called `pull`, gets g, the gradient of the result, and returns the gradient of the input: g times the slope.",
        "`np.where` computes both sides (lesson 03). A side that would overflow needs another input.",
    ),
    rows=("B10", "B27", "B28"),
    keywords=("custom gradient", "override", "straight-through", "log1pexp", "gradient reversal"),
)
