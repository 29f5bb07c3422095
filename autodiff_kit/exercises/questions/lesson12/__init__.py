"""Lesson 12, state: what an assignment does to a path, and what a record holds."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="12",
    slug="12_state",
    title="State: exercises",
    goal="Read six programs with assignments, take the boxes out of an old one, and keep a record right when its input is overwritten.",
    minutes=30,
    reminders=(
        "A tape records operations on tensors and readings of variables (lesson 02). `assign` takes a number, and a number has no history.",
        "A gradient with respect to a variable is the sum over its readings on the tape; `None` says that there was no path, 0 that one was and carries nothing.",
    ),
    rows=("B08", "B24"),
    keywords=("state", "assign", "functional update", "by reference", "overwritten"),
)
