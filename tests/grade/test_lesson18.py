"""Lesson 18's records and costs cross the connection: the sandbox agrees with the learner's own check."""

from __future__ import annotations

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

ONCE = """def dearest(record):
    sums = {line: 2 * m * k * n * (1 + followed) for line, m, k, n, followed in record}
    return sorted(sums.items(), key=lambda pair: -pair[1])[:5]
"""


def test_the_worked_answers_earn_all(hand_in):
    lesson = LESSONS["18"]
    marks = hand_in(answered(lesson, **{q.id.replace("-", "_"): q.solution for q in lesson.questions})).marks
    assert {mark.question: mark.outcome for mark in marks} == dict.fromkeys(("flop-1", "flop-2", "flop-3"), "passed")


def test_the_counted_once_misconception_is_named_in_the_sandbox(hand_in):
    (mark,) = [one for one in hand_in(answered(LESSONS["18"], flop_3=ONCE)).marks if one.question == "flop-3"]
    assert (mark.outcome, mark.misconception) == ("not yet", "counts-lines-once")
