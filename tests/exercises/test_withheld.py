"""Questions to be answered without functions of the kit: who calls one is told so, whatever the call looks like."""

from __future__ import annotations

from contextlib import suppress

import pytest

import autodiff_kit as ak
from autodiff_kit.errors import StructureError
from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.in_process import InProcessRunner
from autodiff_kit.exercises.protocol import Call, Callback, LearnerCodeError
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.exercises.withheld import find_functions

QUESTIONS = [LESSONS.load_question(id) for no in LESSONS for id in LESSONS.question_ids(no)]
RULES = [(question, name) for question in QUESTIONS for name in question.without]


def named(name):
    """What a learner who writes the name gets."""
    found = ak
    for part in name.removeprefix("ak.").split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(("asked", "name"), RULES, ids=[f"{question.id}: {name}" for question, name in RULES])
def test_a_call_of_the_kits_function_is_told(asked, name, solutions):
    alias = named(name)  # taken before the check, as `from autodiff_kit.nn import masked_softmax as mine` does
    right = solutions(asked)

    def calling(own):
        def answer(*args, **kwargs):
            with suppress(Exception):  # also who goes on with an answer of their own
                alias(*args)
            return own(*args, **kwargs)

        return answer

    verdict = grade_attempt(asked, {key: calling(own) for key, own in right.items()}, 1)
    assert (verdict.outcome, verdict.share) == ("error", 0.0)
    assert f"Your code calls `{name}`" in verdict.message
    assert "alias(*args)" in verdict.message, "the line is shown"
    assert f"`{name}`" in asked.statement
    assert grade_attempt(asked, right, 1).outcome == "passed", "afterwards the function runs again"


def test_an_object_made_before_the_check_refuses_too():
    adam = ak.optim.Adam(0.1)
    weight = ak.Variable([1.0, 2.0, 3.0])

    def adam_step(w, g, slots, lr, b1, b2, eps):
        weight.assign(w)
        adam.apply_gradients([(g, weight)])
        return weight.numpy(), slots

    verdict = grade_attempt(LESSONS.load_question("adam-1"), {"adam_step": adam_step}, 1)
    assert "Your code calls `ak.optim.Adam`" in verdict.message


def test_another_function_of_the_kit_meets_the_refusal_too():
    run = InProcessRunner({"f": lambda x: ak.grad(ak.sin)(x)})
    with pytest.raises(LearnerCodeError, match=r"calls `ak\.GradientTape`.*without `ak\.jvp` and `ak\.GradientTape`"):
        run(Call("f", (1.0,), without=("ak.jvp", "ak.GradientTape")))
    assert run(Call("f", (1.0,))).value is not None


def test_the_checks_own_callbacks_may_call_it():
    run = InProcessRunner({"f": lambda softmax, x: softmax(x)})
    scores = ak.zeros(2).numpy()
    call = Call("f", (Callback(ak.nn.softmax, "softmax"), scores), without=("ak.nn.softmax",))
    assert run(call).value.tolist() == [0.5, 0.5]
    refused = InProcessRunner({"f": lambda softmax, x: softmax(x) + ak.nn.softmax(x)})
    with pytest.raises(LearnerCodeError, match=r"ak\.nn\.softmax"):
        refused(call)


@pytest.mark.parametrize("name", ["ak.nn.no_such_function", "ak.pi", "ak.nn", "numpy.exp", "ak.errors"])
def test_what_is_no_function_of_the_kit_cannot_be_withheld(name):
    with pytest.raises(StructureError, match=r"no function or class of the kit"):
        find_functions(name)
