"""Lesson 06, relaxing floor: smooth staircases, straight-through, and the function whose derivative is 1."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="06",
    slug="06_relaxing_floor",
    title="Relaxing floor: exercises",
    goal="Build a smooth floor, correct it at the integers, anneal it, and find the function whose true derivative straight-through uses.",
    minutes=60,
    reminders=(
        "`@ak.custom_gradient` (lesson 05) takes a function that returns two things: the value, and a function from the incoming gradient to the outgoing one. Nothing checks that the second belongs to the first.",
        "The derivative of floor is 0 wherever it exists. The kit answers `None` for it (lesson 06, section 1).",
    ),
    rows=("B29", "B30", "B31", "B32"),
    keywords=("relaxation", "straight-through", "surrogate gradient", "annealing", "custom gradient"),
)
