"""Lesson 16, constraints: a projected step, where a penalty stops, and the nearest shares."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="16",
    slug="16_constraints",
    title="Constraints: exercises",
    goal="Keep weights where they may be: a projected step, the place at which a penalty stops, and the nearest point among shares.",
    minutes=35,
    reminders=(
        "To *project* is to go to the nearest point that is allowed; a point that is allowed already stays.",
        "A *penalty* is a term of the loss that is 0 where the weights are allowed and grows beyond.",
    ),
    rows=("B43",),
    keywords=("constraint", "projection", "penalty", "simplex"),
)
