"""Lesson 16, constraints: a projected step, where a penalty stops, and the nearest shares."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="16",
    slug="16_constraints",
    title="Constraints: exercises",
    goal="Write a projected step, compute where a penalty has its minimum, and project a vector to the nearest shares.",
    minutes=35,
    reminders=(
        "A *projection* replaces a point by the nearest allowed point; an allowed point stays.",
        "A *penalty* is a term of the loss that is 0 for allowed weights and grows outside.",
    ),
    rows=("B43",),
    keywords=("constraint", "projection", "penalty", "simplex"),
)
