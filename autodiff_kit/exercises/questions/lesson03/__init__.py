"""Lesson 03, where and cond: what the side that was not chosen does to a gradient."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="03",
    slug="03_where_cond",
    title="where, cond: exercises",
    goal="Choose without poison: a safe where, what each kind of choice leaves on the record, and x log y at its corner.",
    minutes=30,
    reminders=(
        "A pull multiplies what comes in by a slope (lesson 01). `where` hands 0 to the side that it did not choose, and 0·inf is nan.",
        "`None` and 0 are two answers (lesson 02): `None` says that no path was recorded, 0 that one was and carries nothing.",
    ),
    rows=("B22", "B23"),
    keywords=("where", "cond", "nan", "xlogy"),
)
