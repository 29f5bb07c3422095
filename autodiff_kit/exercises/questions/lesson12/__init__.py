"""Lesson 12, state: what an assignment does to a gradient, and what a tape must keep."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="12",
    slug="12_state",
    title="State: exercises",
    goal="Read six programs with assignments, rewrite a loop of assignments, and keep a gradient right when its input is overwritten.",
    minutes=30,
    reminders=(
        "A tape records operations and readings of variables. `assign` stores a number; no gradient goes back through it.",
        "The gradient of a variable is the sum over all its readings on the tape. `None` means that no path was recorded; 0 means that one was recorded and its slope is 0.",
    ),
    rows=("B08", "B24"),
    keywords=("state", "assign", "functional update", "by reference", "overwritten"),
)
