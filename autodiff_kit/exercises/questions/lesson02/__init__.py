"""Lesson 02, Unconnected: where a path breaks, and what stands where no gradient comes."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="02",
    slug="02_unconnected",
    title="Unconnected: exercises",
    goal="Name the cause of a None and its line, find what is connected from the record alone, and fill in zeros of the right shape and dtype.",
    minutes=50,
    reminders=(
        "A tape (lesson 00) records each operation with its inputs while its block is open. A gradient is a sum over paths: chains of recorded operations that have a derivative.",
        "A gradient of 0 is a number, the sum over paths that exist. None says that there is no path.",
    ),
    rows=("B08", "B09", "B10", "B11"),
    keywords=("None", "unconnected gradients", "explain", "record"),
)
