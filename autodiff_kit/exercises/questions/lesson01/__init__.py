"""Lesson 01, Jacobian-vector products: push, pull, and what each of them costs."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="01",
    slug="01_jacobian_vector_products",
    title="Jacobian-vector products: exercises",
    goal="Write both sweeps by hand, and compute rows, columns and whole Jacobians in the fewest sweeps.",
    minutes=90,
    reminders=(
        "A **push** (JVP) takes a tangent v with one entry per input and gives J·v. A **pull** (VJP) takes a cotangent u with one entry per output and gives u·J.",
        "In these exercises every output depends on the inputs, so no gradient is `None`.",
    ),
    rows=("B04", "B05", "B06", "B15", "B16", "B17"),
    keywords=("Jacobian", "forward mode", "reverse mode", "tangent", "cotangent"),
)
