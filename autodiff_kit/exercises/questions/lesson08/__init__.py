"""Lesson 08, sparse cross-entropy: from logits, exactly; with one array; with softened and ignored labels."""

from __future__ import annotations

from autodiff_kit.exercises.question import Lesson

__all__ = ["LESSON"]

LESSON = Lesson(
    no="08",
    slug="08_sparse_cross_entropy",
    title="Sparse cross-entropy, exactly: exercises",
    goal="Write the loss that everyone calls, with its gradient: exact for any logits, lean for many classes, and with rows that do not count.",
    minutes=35,
    reminders=(
        "softmax(z) is exp(z) divided by its sum: positive numbers that sum to 1. logsumexp(z) = log Σ exp(z); its gradient is softmax(z).",
        "A gradient has the shape of what it belongs to. A mean over n rows gives each of them 1/n.",
    ),
    rows=("B37",),
    keywords=("cross-entropy", "softmax", "logsumexp", "labels", "overflow", "label smoothing"),
)
