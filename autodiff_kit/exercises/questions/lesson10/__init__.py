"""Lesson 10, stop_gradient: cut a path on purpose, and know what it carried."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="10",
    slug="10_stop_gradient",
    title="stop_gradient: exercises",
    goal="Let a part of a matrix learn, place a stop that costs nothing, and find out which stops are free.",
    minutes=30,
    reminders=(
        "`ak.stop_gradient(v)` gives the value of v and no path behind it: what comes back there ends.",
        "A value that is used in several places gets the sum of what comes back along all of them (lesson 00).",
    ),
    rows=("B25", "B26"),
    keywords=("stop_gradient", "variance", "instance norm", "freeze"),
)
