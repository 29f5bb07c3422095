"""Lesson 08, sparse cross-entropy: from logits and without overflow; with one array; with smoothed and ignored labels."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="08",
    slug="08_sparse_cross_entropy",
    title="Sparse softmax cross-entropy: exercises",
    goal="Write the usual loss for classes with its gradient: finite for large logits, in little memory for many classes, and with rows to leave out.",
    minutes=35,
    reminders=(
        "softmax(z) is exp(z) divided by its sum: positive numbers that sum to 1. logsumexp(z) = log Σ exp(z); its gradient is softmax(z).",
        "A gradient has the shape of its variable. In a mean over n rows each row has the weight 1/n.",
    ),
    rows=("B37",),
    keywords=("cross-entropy", "softmax", "logsumexp", "labels", "overflow", "label smoothing"),
)
