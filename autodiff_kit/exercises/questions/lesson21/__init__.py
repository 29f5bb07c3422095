"""Lesson 21, the inverse of a black box: solve, learn, or ask for values, and count the questions."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="21",
    slug="21_inverse_of_a_black_box",
    title="The inverse of a black box: exercises",
    goal="Undo a function that only answers: with a solver, with a model that knows where it was trained, with values alone; and know what each asks.",
    minutes=50,
    reminders=(
        "The slope of a function of a function is the product of the slopes (lesson 01); differences of values have an error that depends on the step (lesson 20).",
        "A model is trained with pairs of what goes in and what is to come out, and an optimizer steps down its loss (lesson 14).",
    ),
    rows=("B33", "B46"),
    keywords=("inverse", "black box", "implicit function", "evolution strategies", "cost"),
)
