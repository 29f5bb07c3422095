"""Lesson 00's checks use exceptions and tapes: the sandbox reports the same as the learner's own check."""

from __future__ import annotations

import pytest

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

RECURSIVE = """def sweep(nodes, target):
    bar = [0.0] * len(nodes)

    def go(i, g):
        bar[i] += g
        for j, s in nodes[i]:
            go(j, g * s)

    go(target, 1.0)
    return bar
"""
THREE = """import autodiff_kit as ak
KEPT = []

def three(x):
    x = ak.Variable(x)
    with ak.GradientTape(persistent={persistent}) as tape:
        y = x**2
        z = y**2
    {keep}
    return tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)
"""


@pytest.mark.parametrize(
    ("question", "answer", "name", "outcome"),
    [
        ("tape-2", RECURSIVE, "recursion", "not yet"),
        ("tape-3", THREE.format(persistent=False, keep="pass"), "not-persistent", "not yet"),
        ("tape-3", THREE.format(persistent=True, keep="KEPT.append(tape)"), "tape-kept", "partial"),
    ],
)
def test_the_sandbox_reports_exceptions_and_tapes(hand_in, question, answer, name, outcome):
    result = hand_in(answered(LESSONS["00"], **{question.replace("-", "_"): answer}))
    (mark,) = [mark for mark in result.marks if mark.question == question]
    assert (mark.outcome, mark.misconception) == (outcome, name)
