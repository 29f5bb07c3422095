"""Lesson 09, attention masking: where the mask goes, what an empty row is, and the way back."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="09",
    slug="09_attention_masking",
    title="Attention masking: exercises",
    goal="Write a softmax, a mean and an attention layer whose values and gradients do not depend on padding.",
    minutes=90,
    reminders=(
        "The inner `where` (lesson 03): `where(keep, f(x), 0)` has NaN for a gradient wherever f's slope at the *unchosen* x is infinite, since 0·inf is nan. Replace the input as well: `where(keep, f(where(keep, x, 1)), 0)`.",
        "An exact 0 and `None` differ (lesson 02): 0 says that there is a path and the gradient along it is 0; `None` says that no path was recorded.",
    ),
    rows=("B38",),
    keywords=("attention", "masking", "padding", "softmax", "NaN"),
)
