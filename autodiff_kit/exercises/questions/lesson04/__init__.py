"""Lesson 04, control flow: the slope of a loop is the slope of the turns that it took."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="04",
    slug="04_control_flow",
    title="Control flow on a tape: exercises",
    goal="Give the exact slope of a loop, list the places where it jumps, and carry a slope along with an iteration.",
    minutes=30,
    reminders=(
        "A tape records what ran: a loop of five turns is five lines, and the slopes of the lines are multiplied (lesson 00).",
        "What only decides, such as the condition of an if or a while, passes no gradient (lesson 03).",
    ),
    rows=("B07",),
    keywords=("control flow", "loop", "jump", "Newton", "iteration"),
)
