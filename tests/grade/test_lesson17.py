"""Lesson 17's einsum crosses the connection with its labels, and the sandbox reports the memory of a call."""

from __future__ import annotations

import pytest

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

LOOPED = """def per_example(einsum, X, D, w):
    return np.stack([einsum("i,o->io", X[b], w[b] * D[b]) for b in range(len(X))])
"""
FORMED = """def norms(X, D):
    G = np.concatenate([X[:, :, None] * D[:, None, :], D[:, None, :]], axis=1)
    return np.sqrt((G**2).sum(axis=(1, 2)))
"""


def test_the_worked_answers_earn_all(hand_in):
    lesson = LESSONS["17"]
    marks = hand_in(answered(lesson, **{q.id.replace("-", "_"): q.solution for q in lesson.questions})).marks
    assert {mark.question: mark.outcome for mark in marks} == dict.fromkeys(("per-1", "per-2", "per-3"), "passed")


@pytest.mark.parametrize(
    ("question", "answer", "name"), [("per-1", LOOPED, "loops"), ("per-3", FORMED, "forms-the-gradients")]
)
def test_the_sandbox_reports_calls_and_memory(hand_in, question, answer, name):
    result = hand_in(answered(LESSONS["17"], **{question.replace("-", "_"): answer}))
    (mark,) = [mark for mark in result.marks if mark.question == question]
    assert (mark.outcome, mark.misconception) == ("partial", name)
