"""Lesson 20, the Hessian's norm: products without the matrix, probes with an error bar, and gradients at moved points."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="20",
    slug="20_hessian_norm",
    title="Hessian norm by perturbation: exercises",
    goal="Multiply by a Hessian that is never built, estimate its trace and norm with an error bar, and do the same by moving a gradient.",
    minutes=35,
    reminders=(
        "A push gives the derivative of a function along v, whatever the function is (lesson 01); a gradient is a function, too.",
        "A probe v has entries of 1 and −1 by chance: v·Hv is the trace on average, and |Hv|² the square of the Frobenius norm.",
    ),
    rows=("B20",),
    keywords=("Hessian", "trace", "Frobenius norm", "random probes", "finite differences"),
)
