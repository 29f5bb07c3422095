"""Lesson 13's check counts live nodes: in the sandbox as in the learner's own check."""

from __future__ import annotations

import pytest

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

SUMMED = """import autodiff_kit as ak
KEPT = []

def track(w, xs):
    v, total, slope = ak.Variable(w), 0.0, 0.0
    for x in xs:
        with ak.GradientTape() as tape:
            loss = ak.mean((v * x - 2.0) ** 2)
        slope += float(tape.gradient(loss, v))
        total += float(loss)
        {keep}
    return total, slope
"""


@pytest.mark.parametrize(
    ("keep", "name", "outcome"),
    [("pass", "", "passed"), ("KEPT.append(loss)", "list-holds-the-nodes", "partial")],
)
def test_the_sandbox_counts_nodes(hand_in, keep, name, outcome):
    result = hand_in(answered(LESSONS["13"], grow_1=SUMMED.format(keep=keep)))
    (mark,) = [mark for mark in result.marks if mark.question == "grow-1"]
    assert (mark.outcome, mark.misconception) == (outcome, name)
