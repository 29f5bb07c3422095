"""Another right answer to each question passes: a check asks for what the text asks for, and for nothing else."""

from __future__ import annotations

import numpy as np

from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.protocol import (
    Callback,
    CallbackNamespace,
    OpaqueValue,
    ReturnedFunction,
    SeededGenerator,
    plain_copy,
)

SEEDS = range(5)


def test_another_right_answer_passes(question, other):
    functions = dict(zip(question.writes, other, strict=True))
    for seed in SEEDS:
        verdict = grade_attempt(question, functions, seed)
        assert verdict.outcome == "passed", verdict


def crosses(value):
    """Whether a box at the other end of a pipe can be given this."""
    if isinstance(value, dict):
        return all(crosses(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(crosses(item) for item in value)
    if value is None or isinstance(value, Callback | CallbackNamespace | ReturnedFunction | SeededGenerator):
        return True
    return isinstance(value, np.ndarray | float | int | str) and plain_copy(value, lambda f: None) is not None


def test_only_plain_values_and_handles_are_handed_to_a_learner(question, solutions):
    from autodiff_kit.exercises.in_process import InProcessRunner

    box, odd = InProcessRunner(solutions(question)), []

    def carry(call):
        odd.extend(value for value in (*call.args, *call.kwargs.values()) if not crosses(value))
        return box(call)

    assert grade_attempt(question, {}, 1, carry).outcome == "passed"
    assert odd == []
    assert not crosses(OpaqueValue("x"))
