"""Right answers pass, wrong ones are told what they are, starters are told kindly that they are starters."""

from __future__ import annotations

import re

import pytest

from autodiff_kit.exercises.check_runner import grade
from autodiff_kit.exercises.questions import LESSONS

FAILED = ("not yet", "partial")
FEW, SOME = range(6), range(2)
ALL_RIGHT, ALL_WRONG = range(200), range(40)
POINTS = {
    "00": {"tape-1": 1, "tape-2": 3, "tape-3": 2, "tape-4": 2},
    "01": {"jvp-1": 3, "jvp-2": 2, "jvp-3": 3, "jvp-4": 2, "jvp-5": 3, "jvp-6": 3},
    "02": {"none-1": 2, "none-2": 3, "none-3": 2},
    "03": {"where-1": 2, "where-2": 2, "where-3": 2},
    "04": {"loop-1": 2, "loop-2": 2, "loop-3": 3},
    "05": {"custom-1": 3, "custom-2": 2, "custom-3": 2},
    "06": {"floor-1": 2, "floor-2": 3, "floor-3": 2, "floor-4": 2, "floor-5": 3, "floor-6": 3},
    "07": {"quant-1": 2, "quant-2": 3, "quant-3": 3},
    "08": {"xent-1": 2, "xent-2": 2, "xent-3": 3},
    "09": {"mask-1": 2, "mask-2": 3, "mask-3": 3, "mask-4": 2, "mask-5": 3, "mask-6": 3},
    "10": {"stop-1": 2, "stop-2": 3, "stop-3": 2},
    "11": {"seg-1": 3, "seg-2": 3, "seg-3": 2},
    "12": {"state-1": 1, "state-2": 2, "state-3": 3},
    "13": {"grow-1": 2, "grow-2": 3, "grow-3": 2},
    "14": {"step-1": 2, "step-2": 2, "step-3": 2},
    "15": {"adam-1": 2, "adam-2": 3, "adam-3": 3, "adam-4": 3, "adam-5": 2, "adam-6": 3},
    "16": {"con-1": 2, "con-2": 2, "con-3": 3},
    "17": {"per-1": 2, "per-2": 2, "per-3": 3},
    "18": {"flop-1": 2, "flop-2": 3, "flop-3": 2},
    "19": {"lm-1": 2, "lm-2": 3, "lm-3": 3},
    "20": {"hess-1": 2, "hess-2": 3, "hess-3": 2},
    "21": {"inv-1": 3, "inv-2": 3, "inv-3": 3, "inv-4": 3},
}


def assert_passes(question, functions, seeds):
    for seed in seeds:
        verdict = grade(question, functions, seed)
        assert verdict.outcome == "passed", (seed, verdict)
        assert verdict.share == 1
        assert verdict.parts
        assert all(part.right == part.of > 0 for part in verdict.parts), verdict.parts


def assert_fails_as(wrong, seeds):
    for seed in seeds:
        verdict = grade(wrong.question, wrong.functions, seed)
        assert verdict.outcome in FAILED, (seed, verdict)
        assert verdict.misconception == wrong.name, (seed, verdict)
        assert verdict.message
        assert any(part.right < part.of for part in verdict.parts), verdict.parts
        assert all(0 <= part.right <= part.of for part in verdict.parts), verdict.parts
        assert not re.search(r"\{\w*\}", verdict.message)


def test_the_worked_answer_passes(question, solutions):
    assert_passes(question, solutions(question), FEW)


@pytest.mark.slow
def test_the_worked_answer_passes_for_every_seed(question, solutions):
    assert_passes(question, solutions(question), ALL_RIGHT)


def test_a_wrong_solution_is_told_its_misconception(wrong):
    assert_fails_as(wrong, SOME)


@pytest.mark.slow
def test_a_wrong_solution_is_told_its_misconception_for_every_seed(wrong):
    assert_fails_as(wrong, ALL_WRONG)


def test_a_starter_runs_and_is_told_kindly_that_it_is_empty(question):
    names = {}
    exec(compile(question.starter, question.id, "exec"), names)
    verdict = grade(question, {name: names[name] for name in question.writes}, 1)
    assert verdict.outcome == "not attempted"
    assert verdict.share == 0
    assert "Nothing to check yet" in verdict.message
    for name in question.writes:
        assert f"`{name}`" in verdict.message


def test_a_half_written_question_says_what_is_missing(question, solutions):
    if len(question.writes) == 1:
        return
    functions = {**solutions(question), question.writes[-1]: lambda *a: None}
    verdict = grade(question, functions, 1)
    assert verdict.outcome == "not attempted"
    assert f"`{question.writes[-1]}`" in verdict.message
    assert f"`{question.writes[0]}`" not in verdict.message


def test_points_are_those_of_the_plan():
    assert {no: {q.id: q.points for q in lesson.questions} for no, lesson in LESSONS.items()} == POINTS
    assert {no: lesson.points for no, lesson in LESSONS.items()} == {no: sum(POINTS[no].values()) for no in POINTS}


def test_every_message_is_shown_by_a_wrong_solution(question, wrong_ones):
    assert set(question.messages) == {name for _, name in wrong_ones[question.id].values()} - {""}


def test_starter_text_and_solution_agree(question):
    for name in question.writes:
        assert re.search(rf"^def {name}\(", question.starter, re.MULTILINE)
        assert f"def {name}(" in question.solution
    assert len(question.hints) == 3
    assert all(question.hints)
