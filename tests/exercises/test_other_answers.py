"""Another right answer to each question passes: a check asks for what the text asks for, and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.protocol import (
    Callback,
    CallbackNamespace,
    OpaqueValue,
    ReturnedFunction,
    SeededGenerator,
    plain_copy,
)
from autodiff_kit.exercises.questions import LESSONS

ALL, FEW = range(5), range(2)


def multiplied_in_place(x, limit, factor):
    slope = 1
    while abs(x) < limit:
        x *= factor
        slope *= factor
    return x, slope


def slopes_as_an_array(a, b, p):
    d = p * (a * b) ** (p - 1)
    return np.array([d, d * b, d * a])


def costs_as_an_array(dims, batch, x_grad):
    layers = 2 * batch * np.array(dims[:-1]) * np.array(dims[1:])
    return np.array([layers.sum(), 2 * layers.sum() - (0 if x_grad else layers[0])])


def gradients_stacked(x, y):
    s = np.where(y == 0, 1, y)
    return x * np.log(s), lambda g: np.stack([g * np.log(s), g * x / s])


def reached(nodes, target):
    found = np.zeros(len(nodes), bool)
    found[target] = True
    for k in range(target, -1, -1):
        op, *inputs = nodes[k]
        if found[k] and op not in ("floor", "cast", "greater", "convert"):
            found[inputs] = True
    return found


def log_softmax(scores):
    return scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)


def kept_softmax(scores, keep):
    return np.exp(log_softmax(np.where(keep, scores, -np.inf)))


# Right answers in another form than the text suggests: arrays for tuples, booleans of NumPy, changes in place.
UNUSUAL = {
    "loop-1": [(multiplied_in_place,)],
    "tape-1": [(slopes_as_an_array,)],
    "flop-1": [(costs_as_an_array,)],
    "where-3": [(gradients_stacked,)],
    "none-2": [
        (lambda nodes, target, sources: reached(nodes, target)[sources],),
        (lambda nodes, target, sources: tuple(reached(nodes, target)[sources].tolist()),),
        (lambda nodes, target, sources: list(reached(nodes, target)[sources]),),
    ],
    "mask-1": [(lambda scores, keep: np.exp(log_softmax(scores)) * keep, kept_softmax, kept_softmax)],
}


@pytest.mark.parametrize(("id", "answer"), [(id, answer) for id, answers in UNUSUAL.items() for answer in answers])
def test_a_right_answer_in_an_unusual_form_passes(id, answer):
    question = LESSONS.load_question(id)
    functions = dict(zip(question.writes, answer, strict=True))
    for seed in range(20):
        verdict = grade_attempt(question, functions, seed)
        assert verdict.outcome == "passed", verdict


def test_another_right_answer_passes(question, other, every_case):
    functions = dict(zip(question.writes, other, strict=True))
    for seed in ALL if every_case else FEW:
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
