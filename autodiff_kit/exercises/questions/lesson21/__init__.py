"""Lesson 21, the inverse of a black box: its derivative, a model with a range, and the pull for several numbers."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="21",
    slug="21_inverse_of_a_black_box",
    title="The inverse of a black box: exercises",
    goal="Give the derivative of an inverse, train a model of it that knows its range, and pull through it for several numbers.",
    minutes=35,
    reminders=(
        "The derivative of a composed function is the product of the derivatives; for several numbers it is a product of Jacobians (lesson 01).",
        "A model is trained with pairs of what goes in and what is to come out, and an optimizer steps down its loss (lesson 14).",
    ),
    rows=("B33", "B46"),
    keywords=("inverse", "black box", "implicit function", "Jacobian", "extrapolation"),
)
