"""The kit's own function is refused in the sandbox as in the learner's own check, and the report says so."""

from __future__ import annotations

from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

ALIAS = """from autodiff_kit.nn import masked_softmax as kits

def masked_softmax(scores, keep, empty="zero"):
    return kits(scores, keep, empty=empty)
"""


def test_the_sandbox_refuses_the_kits_function_under_another_name(hand_in):
    result = hand_in(answered(LESSONS["09"], mask_2=ALIAS))
    marks = {mark.question: mark for mark in result.marks}
    assert (marks["mask-2"].outcome, marks["mask-2"].points) == ("error", 0)
    assert "Your code calls `ak.nn.masked_softmax`" in marks["mask-2"].message
    assert marks["mask-6"].outcome == "passed"
