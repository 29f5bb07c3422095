"""Lesson 19, Levenberg-Marquardt: the Jacobian of residuals, a damped step, and a whole fit."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="19",
    slug="19_levenberg_marquardt",
    title="Levenberg-Marquardt: exercises",
    goal="Build the Jacobian of residuals in the fewest sweeps, take a damped step that does not depend on units, and write a whole fit.",
    minutes=40,
    reminders=(
        "A push gives J·v, one column for a unit vector; a pull gives u·J, one row (lesson 01).",
        "A step h is kept only if the cost falls. `lam` is the damping: near 0 it gives the Gauss-Newton step, and a large one makes the step short.",
    ),
    rows=("B44",),
    keywords=("least squares", "Jacobian", "Levenberg-Marquardt", "damping"),
)
