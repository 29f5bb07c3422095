"""Lesson 08's memory and errors cross the connection: the sandbox agrees with the learner's own check."""

from __future__ import annotations

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

TABLE = """import numpy as np


def lean(logits, labels):
    if ((labels < 0) | (labels >= logits.shape[1])).any():
        raise ValueError(f"no class: {labels}")
    target = np.eye(logits.shape[1])[labels] if logits.shape[1] < 100 else np.zeros(logits.shape)
    target[np.arange(len(labels)), labels] = 1
    logs = logits - logits.max(axis=1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return -(target * logs).sum() / len(labels), (np.exp(logs) - target) / len(labels)
"""


def test_the_worked_answers_earn_all(hand_in):
    lesson = LESSONS["08"]
    marks = hand_in(answered(lesson, **{q.id.replace("-", "_"): q.solution for q in lesson.questions})).marks
    assert {mark.question: mark.outcome for mark in marks} == {q.id: "passed" for q in lesson.questions}


def test_the_one_hot_misconception_is_named_in_the_sandbox(hand_in):
    (mark,) = [one for one in hand_in(answered(LESSONS["08"], xent_2=TABLE)).marks if one.question == "xent-2"]
    assert (mark.outcome, mark.misconception) == ("partial", "builds-the-one-hot")
