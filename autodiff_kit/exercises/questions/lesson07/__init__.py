"""Lesson 07, fake quantisation: a range with a 0, the pull past a staircase, and an end that is one of the entries."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="07",
    slug="07_fake_quantisation",
    title="Fake quantisation: exercises",
    goal="Move a range so that 0 is a level, write fake quantisation with its pull, and bring home what min and max receive.",
    minutes=40,
    reminders=(
        "Straight-through (lesson 06): the value of a staircase on the way forward, the slope of something smooth on the way back. Here that is the identity, inside the range.",
        "A pull takes what comes into y, the cotangent g, to what comes into each input (lesson 01). Where two ways lead to one input, their parts add (lesson 00).",
    ),
    rows=("B32",),
    keywords=("fake quantisation", "straight-through estimator", "nudged range", "zero point", "min and max"),
)
