"""Lesson 13, recomputing, caching, growth of the record: what lives, what is forgotten, what runs once."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="13",
    slug="13_growing_record",
    title="Growth of the record: exercises",
    goal="Sum a hundred losses on twelve nodes, trade calls for memory with marks, and count what runs when equal things run once.",
    minutes=35,
    reminders=(
        "A record keeps a node for each operation, and what its slope needs (lesson 00). A node refers to the nodes that it read; whoever holds the last one holds them all.",
        "The slope of a chain is the product of the slopes of its layers, each at its own input (lesson 00).",
    ),
    rows=("B05", "B45"),
    keywords=("memory", "record", "recomputation", "checkpointing", "common subexpressions"),
)
