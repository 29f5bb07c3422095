"""Lesson 06, relaxing floor: a staircase with a slope, and what that slope is the slope of."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="06",
    slug="06_relaxing_floor",
    title="Relaxing floor into a sigmoid: exercises",
    goal="Build the staircase, mend it on the integers, anneal it, and find the function whose true gradient straight-through is.",
    minutes=60,
    reminders=(
        "`@ak.custom_gradient` (lesson 05) wraps a function that gives back two things: the value, and a function from the incoming gradient to the outgoing one. Nobody checks that the second belongs to the first.",
        "An unconnected path gives `None`, a flat one gives 0 (lesson 02): floor is flat, so its own slope is 0 wherever it has one.",
    ),
    rows=("B29", "B30", "B31", "B32"),
    keywords=("relaxation", "straight-through", "surrogate gradient", "annealing", "custom gradient"),
)
