"""Lesson 12's check overwrites the arguments that it passed: in the sandbox as in the learner's own check."""

from __future__ import annotations

import pytest

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

KEPT = """def square(x):
    held = {held}
    return x**2, lambda g: 2 * held * g
"""
LOUD = """def square(x):
    stamp = x.tobytes()

    def pull(g):
        if x.tobytes() != stamp:
            raise RuntimeError("x was overwritten")
        return 2 * x * g

    return x**2, pull
"""


@pytest.mark.parametrize(
    ("answer", "name", "outcome"),
    [
        (KEPT.format(held="x"), "held-by-reference", "not yet"),
        (KEPT.format(held="x.copy()"), "", "passed"),
        (LOUD, "", "passed"),
    ],
)
def test_the_sandbox_overwrites_earlier_arguments(hand_in, answer, name, outcome):
    result = hand_in(answered(LESSONS["12"], state_3=answer))
    (mark,) = [mark for mark in result.marks if mark.question == "state-3"]
    assert (mark.outcome, mark.misconception) == (outcome, name)
