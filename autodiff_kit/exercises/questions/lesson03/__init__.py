"""Lesson 03, where and cond: the gradient of a side that was not chosen."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="03",
    slug="03_where_cond",
    title="where, cond: exercises",
    goal="Write a where without nan in its gradient, say what cond and where record, and give x log y a finite gradient at (0, 0).",
    minutes=30,
    reminders=(
        "In the backward pass, `where` passes a gradient of 0 to the side that it did not choose. That side multiplies the 0 by its slope, and 0·inf is nan.",
        "`None` and 0 differ (lesson 02): `None` means that no path was recorded; 0 means that a path was recorded and its slope is 0.",
    ),
    rows=("B22", "B23"),
    keywords=("where", "cond", "nan", "xlogy"),
)
