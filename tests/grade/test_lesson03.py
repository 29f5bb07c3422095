"""Lesson 03's gradients and pulls cross the connection: the sandbox agrees with the learner's own check."""

from __future__ import annotations

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

OUTSIDE = """def safe(name, x):
    return ak.where(x > 0, getattr(ak, name)(x), 0.0)
"""


def test_the_worked_answers_earn_all(hand_in):
    marks = hand_in(
        answered(LESSONS["03"], **{q.id.replace("-", "_"): q.solution for q in LESSONS["03"].questions})
    ).marks
    assert {mark.question: mark.outcome for mark in marks} == dict.fromkeys(("where-1", "where-2", "where-3"), "passed")


def test_the_outer_where_misconception_is_named_in_the_sandbox(hand_in):
    (mark,) = [one for one in hand_in(answered(LESSONS["03"], where_1=OUTSIDE)).marks if one.question == "where-1"]
    assert (mark.outcome, mark.misconception) == ("not yet", "where-only-outside")
