"""Lesson 17, per-example gradients: all of them in one product, clipped one by one, and their lengths without them."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="17",
    slug="17_per_example_gradients",
    title="Per-example gradients and clipping: exercises",
    goal="Compute all per-example gradients of a dense layer in one product, the mean of the clipped gradients, and their lengths without forming any gradient.",
    minutes=35,
    reminders=(
        "The gradient of a dense layer `X @ W` with respect to `W` is Xᵀ D: a sum of outer products, one for each example.",
        "To clip a gradient g to length C: multiply it by min(1, C/‖g‖).",
    ),
    rows=("B18", "B19"),
    keywords=("per-example", "clipping", "einsum", "norm"),
)
