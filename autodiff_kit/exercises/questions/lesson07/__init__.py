"""Lesson 07, fake quantisation: a range in which 0 is a level, the straight-through pull, and a range computed from x."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="07",
    slug="07_fake_quantisation",
    title="Fake quantisation: exercises",
    goal="Shift a range so that 0 is a level, write fake quantisation with its pull, and add the gradients of min and max to those of x.",
    minutes=40,
    reminders=(
        "Straight-through (lesson 06): the forward pass rounds, the backward pass counts rounding as the identity. Here this holds inside the range.",
        "A pull (vector-Jacobian product, lesson 01) takes the cotangent g of y and gives a cotangent for each input. Where y depends on an input in two ways, the two parts add.",
    ),
    rows=("B32",),
    keywords=("fake quantisation", "straight-through estimator", "nudged range", "zero point", "min and max"),
)
