"""A long program on which a function fails is replaced by the shortest one that shows the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.exercises.questions.lesson01.jvp_1 import solution
from autodiff_kit.exercises.questions.lesson01.jvp_1.misconceptions import slopes_with, vjp_with_mistake

PROGRAM = re.compile(r"`(push|pull)\((\[.*?\]), ")
TWICE = {"sub": (2.0, -2.0), "square": (7.0,), "sin": (0.5,), "mul": (0.5, 0.5)}


def message(push=solution.push, pull=solution.pull, seed=3):
    verdict = grade_attempt(LESSONS.load_question("jvp-1"), {"push": push, "pull": pull}, seed)
    assert verdict.outcome == "not yet", verdict
    return verdict


@pytest.mark.parametrize("op", TWICE)
@pytest.mark.parametrize("seed", range(3))
def test_one_wrong_derivative_is_shown_on_that_operation_alone(op, seed):
    slopes = slopes_with(op, lambda *_: TWICE[op])
    verdict = message(pull=lambda *given: vjp_with_mistake(*given, slopes=slopes), seed=seed)
    assert verdict.misconception == ""
    head, difference = verdict.message.splitlines()
    assert head.startswith(f"One operation is enough to fail, `{op}`: `pull([('{op}', ")
    assert difference.startswith("dx from pull, entry")


def test_a_wrong_value_is_shown_on_its_operation():
    def push(program, outputs, x, v):
        lines = [("add" if op == "sub" else op, *ins) for op, *ins in program]
        return solution.push(lines, outputs, x, v)

    assert "enough to fail, `sub`: `push([('sub', " in message(push).message


def test_a_mistake_that_needs_two_lines_keeps_two():
    def pull(program, outputs, x, u):
        return solution.pull(program, outputs, x, u) * (1 + (len(program) >= 2))

    head, program = re.search(r"(.*)`pull\((\[.*?\]), ", message(pull=pull).message).groups()
    assert head == "The shortest program found that fails has 2 lines: "
    assert program.count("('") == 2


def test_a_mistake_that_no_operation_makes_is_shown_without_one():
    said = message(pull=lambda *given: solution.pull(*given) + 1).message
    assert said.startswith("It fails without any operation: `pull([], [")


def test_a_function_that_stops_on_smaller_programs_is_shown_the_smallest_that_it_takes():
    def push(program, outputs, x, v):
        y, dy = solution.push(program, outputs, x, v)
        return y, dy * (3 if program[2] else 1)

    assert "has 3 lines" in message(push).message


def test_the_shrinking_does_not_count_as_cases():
    parts = message(pull=lambda *given: 3 * solution.pull(*given)).parts
    assert [(part.name, part.right, part.of) for part in parts][2] == ("dx from pull", 0, 4)
    assert np.all([part.of == 4 for part in parts])
