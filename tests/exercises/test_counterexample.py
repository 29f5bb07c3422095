"""A long program on which a function fails is replaced by the shortest one that shows the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

from autodiff_kit.exercises import counterexample
from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.protocol import Call
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.exercises.questions.lesson00.tape_2.solution import sweep
from autodiff_kit.exercises.questions.lesson00.tape_4.solution import held
from autodiff_kit.exercises.questions.lesson01.jvp_1 import solution
from autodiff_kit.exercises.questions.lesson01.jvp_1.misconceptions import slopes_with, vjp_with_mistake
from autodiff_kit.exercises.questions.lesson02.none_2.solution import connected
from autodiff_kit.exercises.questions.lesson11.seg_2.solution import segment_softmax
from autodiff_kit.exercises.questions.lesson13.grow_3.solution import distinct
from autodiff_kit.exercises.questions.lesson15.adam_2.solution import motion
from autodiff_kit.exercises.questions.lesson18.flop_2.solution import cheapest
from autodiff_kit.exercises.questions.lesson18.flop_3.solution import dearest
from autodiff_kit.exercises.questions.lesson22.msg_1.solution import receive
from autodiff_kit.exercises.questions.lesson22.msg_2.solution import pull_of_mean
from autodiff_kit.exercises.questions.lesson22.msg_3.solution import batch

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


def sine_lost(nodes, target, sources):
    """Nothing leads through a sin."""
    return connected([node if node[0] != "sin" else ("cast", *node[1:]) for node in nodes], target, sources)


def doubled_sin(expression):
    """A sin counts as two operations."""
    inner = isinstance(expression, tuple) and any(isinstance(part, tuple) for part in expression)
    return distinct(expression) + (inner and "sin" in str(expression))


# A function with one fault that no misconception of its question explains, and the case that shows it.
FAULTS = {
    "tape-2": (lambda nodes, target: [2 * b for b in sweep(nodes, target)], r"sweep\(\[\[\]\], 0\)` is \[2\], "),
    "tape-4": (lambda program, n: held(program, n) + n * any(op == "relu" for op, *_ in program),
               r"held\(\[\('relu', \d\)\], 10\)` is 20, expected 10\."),
    "none-2": (sine_lost, r"connected\(\[\('input',\), \('sin', 0\)\], 1, \[0\]\)` is \[False\], expected \[True\]\."),
    "seg-2": (lambda s, ids, c: segment_softmax(s, ids, c) * (1 + (len(s) > 1)),
              r"segment_softmax\(\[[^,]+, [^,]+\], \[\d, \d\], 5\)` is "),
    "grow-3": (doubled_sin, r"distinct\(\('sin', \('\+', '.', '.'\)\)\)` is 3, expected 2\."),
    "adam-2": (lambda strip, *given, **of: tuple(b + strip.count(None) for b in motion(strip, *given, **of)),
               r"motion\(\[[\d.-]+, None\], 'sgd', lr="),
    "flop-2": (lambda dims: cheapest(dims) + 1, r"cheapest\(\[\d, \d\]\)` is 1, expected 0\."),
    "flop-3": (lambda record: dearest(record)[:4], r"dearest\(\[(\(\d+, .{10}\)(, |\])){5}\)` is \["),
    "msg-1": (lambda x, edges: receive(x, edges) - receive(x, edges[1:]),
              r"receive\(\[(\[[^]]+\](, )?){2,3}\], \[\[\d, \d\], \[\d, \d\]\]\)` is "),
    "msg-2": (lambda g, edges: -pull_of_mean(g, edges),
              r"pull_of_mean\(\[\[[^]]+\], \[[^]]+\]\], \[\[\d, \d\]\]\)` is "),
    "msg-3": (lambda sizes, edges: batch(sizes, edges) + 1, r"batch\(\[\d\], \[\[\[\d, \d\]\]\]\)` is "),
}  # fmt: skip


@pytest.mark.parametrize("id", FAULTS)
@pytest.mark.parametrize("seed", range(2))
def test_a_fault_without_a_name_is_shown_on_the_smallest_case(id, seed):
    question, (fault, case) = LESSONS.load_question(id), FAULTS[id]
    verdict = grade_attempt(question, {question.writes[0]: fault}, seed)
    assert verdict.outcome == "not yet"
    assert verdict.misconception == ""
    assert re.match("The smallest case found that fails:\n`" + case, verdict.message), verdict.message


def test_every_question_that_shrinks_its_cases_is_tried_here():
    shrinking = {id for no in LESSONS for id in LESSONS.question_ids(no) if LESSONS.load_question(id).counterexample}
    assert shrinking == {*FAULTS, "jvp-1"}


@pytest.mark.parametrize("id", FAULTS)
def test_no_call_in_a_message_is_cut_short(id, wrong_ones):
    question = LESSONS.load_question(id)
    for functions, name in wrong_ones[id].values():
        verdict = grade_attempt(question, dict(zip(question.writes, functions, strict=True)), 0)
        assert name or " … " not in verdict.message


def test_a_fault_that_shows_once_is_told_by_the_first_failed_case():
    calls = []

    def forgetful(nodes, target):
        calls.append(len(nodes))
        return [b + (len(calls) < 3) for b in sweep(nodes, target)]

    assert grade_attempt(LESSONS.load_question("tape-2"), {"sweep": forgetful}, 0).message.startswith("The list of")


def test_a_function_that_ends_on_no_smaller_case_is_told_by_the_first_failed_case(monkeypatch):
    monkeypatch.setattr("autodiff_kit.exercises.in_process.SECONDS_FOR_A_CALL", 0.05)

    def patient(record):
        while len(record) < 7:
            pass
        return dearest(record)[:3]

    verdict = grade_attempt(LESSONS.load_question("flop-3"), {"dearest": patient}, 0)
    assert verdict.outcome == "not yet"
    assert verdict.message.startswith("dearest([(")


def test_a_slow_function_is_shown_on_what_was_found_in_time(monkeypatch):
    monkeypatch.setattr(counterexample, "SECONDS_FOR_SHRINKING", -1.0)
    shrinking = counterexample.shrink(3, lambda n: [n - 1], lambda n: (f"{n} fails" for _ in ()))
    with pytest.raises(StopIteration) as end:
        next(shrinking)
    assert end.value.value[0] == 3


def test_a_warning_is_told_with_its_line_and_not_as_a_nan():
    functions = {"sweep": lambda nodes, target: [np.exp(1000.0) * b for b in sweep(nodes, target)]}
    message = grade_attempt(LESSONS.load_question("tape-2"), functions, 0).message
    assert "overflow encountered in exp (line" in message


def test_shorter_lists_go_from_halves_to_single_items():
    assert list(counterexample.shorter("abcd")) == [
        ["c", "d"],
        ["a", "b"],
        *(list(s) for s in ("bcd", "acd", "abd", "abc")),
    ]
    assert list(counterexample.shorter("a")) == [[]]
    assert list(counterexample.shorter("")) == []


def test_a_probe_takes_errors_as_answers():
    assert counterexample.probe("f", 1, k=2) == Call("f", (1,), {"k": 2}, quiet=True, errors=("Exception",))
