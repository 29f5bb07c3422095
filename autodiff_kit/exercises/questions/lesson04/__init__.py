"""Lesson 04, control flow: the slope of a loop is the slope of the turns that it took."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="04",
    slug="04_control_flow",
    title="Control flow on a tape: exercises",
    goal="Give the exact slope of a loop, list the x at which it jumps, and compute a derivative together with an iteration.",
    minutes=30,
    reminders=(
        "A tape records the operations that ran. A loop of five turns is recorded five times, and the slopes of the turns are multiplied.",
        "The condition of an if or a while passes no gradient. So the number of turns contributes nothing to the slope.",
    ),
    rows=("B07",),
    keywords=("control flow", "loop", "jump", "Newton", "iteration"),
)
