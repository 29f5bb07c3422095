"""Lesson 24, gradients from values alone: probes, how many of them, and the calls of three methods."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="24",
    slug="24_gradients_from_values",
    title="Gradients from values alone: exercises",
    goal="Estimate a gradient along random probes, say how many probes an error takes, and compare methods by their calls.",
    minutes=45,
    reminders=(
        "A central difference takes two values at equal distances from x; even powers of the distance cancel (lesson 20).",
        "Newton's method for F(x) = y repeats x ← x − (F(x) − y)/F′(x); a bracket, two x between which F crosses y, keeps it from leaving (lesson 21).",
    ),
    rows=("B33",),
    keywords=("black box", "evolution strategies", "finite differences", "cost"),
)
