"""Lesson 18, what the backward pass costs: a chain of layers, the cheapest order of products, the costliest lines."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="18",
    slug="18_what_backward_costs",
    title="What the backward pass costs: exercises",
    goal="Count the operations of both passes, find the cheapest order of a chain of products, and find the lines that cost most.",
    minutes=35,
    reminders=(
        "A product of the shapes (m, k) and (k, n) takes mkn multiplications and as many additions: 2mkn operations.",
        "A push gives a column of the Jacobian, a pull a row (lesson 01). Forward mode multiplies the Jacobians of the steps from the input on, reverse mode from the output on.",
    ),
    rows=("B21",),
    keywords=("cost", "operations", "chain", "Jacobian"),
)
