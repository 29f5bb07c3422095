"""Lesson 01, Jacobian-vector products: push, pull, and what each of them costs."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="01",
    slug="01_jacobian_vector_products",
    title="Jacobian-vector products: exercises",
    goal="Write both sweeps by hand, and get rows, columns and whole Jacobians for as few sweeps as they cost.",
    minutes=60,
    reminders=(
        "A tangent v has the shape of the inputs and travels *with* the program (push, J·v); a cotangent u has the shape of the outputs and travels *against* it (pull, u·J).",
        "Where no path leads back, a tape answers `None` (lesson 02); in these exercises every output is connected.",
    ),
    rows=("B04", "B05", "B06", "B15", "B16", "B17"),
    keywords=("Jacobian", "forward mode", "reverse mode", "tangent", "cotangent"),
)
