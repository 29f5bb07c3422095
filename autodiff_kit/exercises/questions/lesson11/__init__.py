"""Lesson 11, readout per graph: sums, means and weights of groups of any size."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="11",
    slug="11_readout_per_graph",
    title="Readout per graph: exercises",
    goal="Write the mean of each segment with its pull, attention within each segment, and means of classes that persist.",
    minutes=40,
    reminders=(
        "A pull (lesson 01) takes a cotangent of the result and gives that of the input.",
        "A softmax (lesson 09) subtracts a maximum before it takes exponentials. Only differences of scores matter.",
    ),
    rows=("B34", "B35"),
    keywords=("segment", "readout", "mean per class", "softmax per group"),
)
