"""Lesson 20, the Hessian's norm: products without the matrix, probes with an error bar, and gradients at moved points."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="20",
    slug="20_hessian_norm",
    title="Hessian norm by perturbation: exercises",
    goal="Multiply by a Hessian that is never built, estimate its trace and norm with a standard error, and compute a product from two gradients.",
    minutes=35,
    reminders=(
        "A push gives the Jacobian of a function times v (lesson 01), and a gradient is a function too.",
        "A probe v has random entries 1 and −1: the mean of v·Hv is the trace, and the mean of |Hv|² the square of the Frobenius norm.",
    ),
    rows=("B20",),
    keywords=("Hessian", "trace", "Frobenius norm", "random probes", "finite differences"),
)
