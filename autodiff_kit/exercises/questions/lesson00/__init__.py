"""Lesson 00, a tape in sixty lines: the chain rule, the reverse sweep, and what a record keeps."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="00",
    slug="00_tape_in_sixty_lines",
    title="A tape in sixty lines: exercises",
    goal="Apply the chain rule by hand, write the reverse sweep, ask one tape three times, and count what it keeps.",
    minutes=40,
    reminders=(
        "The chain rule: if dy/da = 3 and dz/dy = 4, then dz/da = 12. Where two paths lead from a to z, their contributions add.",
        "An ordinary tape answers once and then releases its record; `ak.GradientTape(persistent=True)` keeps it. An `ak.Variable` is watched by itself, an `ak.constant` only after `tape.watch`.",
    ),
    rows=("B01", "B02", "B03", "B04", "B05", "B06"),
    keywords=("gradient tape", "chain rule", "reverse sweep", "intermediate values", "persistent"),
)
