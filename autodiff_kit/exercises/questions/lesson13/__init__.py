"""Lesson 13, recomputing, caching, growth of the record: what lives, what is forgotten, what runs once."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="13",
    slug="13_growing_record",
    title="What a record keeps: exercises",
    goal="Sum a hundred losses with at most twelve nodes alive, trade calls for memory with checkpoints, and count the operations after common-subexpression elimination.",
    minutes=35,
    reminders=(
        "A record keeps a node for each operation, and the values that its derivative needs (lesson 00). A node refers to the nodes that it read; whoever holds the last one holds them all.",
        "The derivative of a chain is the product of the derivatives of its layers, each at its own input (lesson 00).",
    ),
    rows=("B05", "B45"),
    keywords=("memory", "record", "recomputation", "checkpointing", "common-subexpression elimination"),
)
