"""Lesson 18, what backward costs: the bill of layers, the cheapest order of products, and the dearest lines."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="18",
    slug="18_what_backward_costs",
    title="What backward costs: exercises",
    goal="Count the operations of both ways, find the cheapest order of a chain's products, and the lines that cost most.",
    minutes=35,
    reminders=(
        "A product of (m, k) and (k, n) takes mkn multiplications and as many additions: 2mkn operations.",
        "A push gives a column of the Jacobian, a pull a row (lesson 01). Either multiplies the Jacobians of the steps, from one end.",
    ),
    rows=("B21",),
    keywords=("cost", "operations", "chain", "Jacobian"),
)
