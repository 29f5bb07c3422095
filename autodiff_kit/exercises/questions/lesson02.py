"""Lesson 02, Unconnected: where a path breaks, and what stands where no gradient comes."""

from __future__ import annotations

from ..question import Lesson
from . import none_1, none_2, none_3

__all__ = ["LESSON"]

LESSON = Lesson(
    no="02",
    slug="02_unconnected",
    title="Unconnected: exercises",
    goal="Name the cause of a None and its line, find what is connected from the record alone, and fill in zeros that fit.",
    minutes=35,
    reminders=(
        "A tape (lesson 00) records each operation with its inputs while its block is open; a gradient flows back over what was recorded, and over nothing else.",
        "A gradient of 0 is a number that arrived. None says that none ever could.",
    ),
    questions=(none_1.QUESTION, none_2.QUESTION, none_3.QUESTION),
    rows=("B08", "B09", "B10", "B11"),
    keywords=("None", "unconnected gradients", "explain", "record"),
)
