"""Lesson 00, a tape in sixty lines: slopes of values on the way, the reverse sweep, and what a record keeps."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="00",
    slug="00_tape_in_sixty_lines",
    title="A tape in sixty lines: exercises",
    goal="Work out slopes of values on the way, write the reverse sweep, ask one tape three times, and say what it keeps.",
    minutes=40,
    reminders=(
        "The chain rule: if a moves y by a factor of 3, and y moves z by a factor of 4, then a moves z by a factor of 12. Where two ways lead from a to z, their factors add.",
        "A tape answers once and lets go of what it held; `ak.GradientTape(persistent=True)` answers until it is deleted. It follows an `ak.Variable` by itself, and an `ak.constant` after `tape.watch`.",
    ),
    rows=("B01", "B02", "B03", "B04", "B05", "B06"),
    keywords=("gradient tape", "chain rule", "reverse sweep", "intermediate values", "persistent"),
)
