"""Lesson 22, message passing: sums over neighbours, their pull, and a batch of graphs as one graph."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="22",
    slug="22_message_passing",
    title="Message passing: exercises",
    goal="Write a round of message passing from a list of edges, the pull of the mean of the neighbours, and a batch of graphs.",
    minutes=30,
    reminders=(
        "`np.add.at(out, ids, rows)` adds every row, also where an id occurs more than once (lesson 11).",
        "The pull of y = Bx takes a cotangent g and gives the product of the transposed B with g.",
    ),
    rows=("B34",),
    keywords=("message passing", "adjacency matrix", "graph", "edges"),
)
