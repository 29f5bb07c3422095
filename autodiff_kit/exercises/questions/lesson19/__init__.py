"""Lesson 19, Levenberg-Marquardt: the Jacobian of residuals, a damped step, and a whole fit."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="19",
    slug="19_levenberg_marquardt",
    title="Levenberg-Marquardt: exercises",
    goal="Build the Jacobian of residuals in the fewest sweeps, take a step that no unit can change, and make a whole fit of such steps.",
    minutes=40,
    reminders=(
        "A push gives J·v, one column for a unit vector; a pull gives u·J, one row (lesson 01).",
        "A step h is kept only if the cost falls. `lam` is the damping: near 0 the step goes where the linear model has its least, a large one makes it short.",
    ),
    rows=("B44",),
    keywords=("least squares", "Jacobian", "Levenberg-Marquardt", "damping"),
)
