"""Lesson 10, stop_gradient: stop a path on purpose, and say what it carried."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="10",
    slug="10_stop_gradient",
    title="stop_gradient: exercises",
    goal="Train a part of a matrix, place a stop that changes no gradient, and find out which stops are free.",
    minutes=30,
    reminders=(
        "`ak.stop_gradient(v)` returns the value of v, and no gradient passes through it.",
        "A value that is used in several places gets the sum of the gradients of all of them (lesson 00).",
    ),
    rows=("B25", "B26"),
    keywords=("stop_gradient", "variance", "instance norm", "freeze"),
)
