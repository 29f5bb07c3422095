"""Right answers pass, wrong ones are told what they are, starters are told kindly that they are starters."""

from __future__ import annotations

import re

from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.exercises.questions import LESSONS

FAILED = ("not yet", "partial")
FEW, ONE = range(3), range(1)
ALL_RIGHT, ALL_WRONG = range(200), range(40)


def assert_passes(question, functions, seeds):
    for seed in seeds:
        verdict = grade_attempt(question, functions, seed)
        assert verdict.outcome == "passed", (seed, verdict)
        assert verdict.share == 1
        assert verdict.parts
        assert all(part.right == part.of > 0 for part in verdict.parts), verdict.parts


def assert_fails_as(wrong, seeds):
    shares = set()
    for seed in seeds:
        verdict = grade_attempt(wrong.question, wrong.functions, seed)
        assert verdict.outcome in FAILED, (seed, verdict)
        assert verdict.misconception == wrong.name, (seed, verdict)
        assert verdict.message
        assert any(part.right < part.of for part in verdict.parts), verdict.parts
        assert all(0 <= part.right <= part.of for part in verdict.parts), verdict.parts
        assert not re.search(r"\{\w*\}", verdict.message)
        shares.add(verdict.share)
    assert len(shares) == 1, "the same answer gets the same points, whatever is drawn"


def test_the_worked_answer_passes(question, solutions, every_case):
    assert_passes(question, solutions(question), ALL_RIGHT if every_case else FEW)


def test_a_wrong_solution_is_told_its_misconception(wrong, every_case):
    assert_fails_as(wrong, ALL_WRONG if every_case else ONE)


def test_a_starter_runs_and_is_told_kindly_that_it_is_empty(question):
    names = {}
    exec(compile(question.starter, question.id, "exec"), names)
    verdict = grade_attempt(question, {name: names[name] for name in question.writes}, 1)
    assert verdict.outcome == "not attempted"
    assert verdict.share == 0
    assert "Nothing to check yet" in verdict.message
    for name in question.writes:
        assert f"`{name}`" in verdict.message


def test_a_half_written_question_says_what_is_missing(question, solutions):
    if len(question.writes) == 1:
        return
    functions = {**solutions(question), question.writes[-1]: lambda *a: None}
    verdict = grade_attempt(question, functions, 1)
    assert verdict.outcome == "not attempted"
    assert f"`{question.writes[-1]}`" in verdict.message
    assert f"`{question.writes[0]}`" not in verdict.message


def test_points_are_whole_numbers_and_add_up(question):
    # How many they are is held by the stored notebook of the lesson (test_notebooks.py).
    assert type(question.points) is int
    assert 1 <= question.points <= 3
    lesson = LESSONS[LESSONS.lesson_number(question.id)]
    assert lesson.points == sum(one.points for one in lesson.questions)


def test_every_message_is_shown_by_a_wrong_solution(question, wrong_ones):
    told = {name for _, names in wrong_ones[question.id].values() for name in names.split(" and ")}
    assert set(question.messages) == told - {""}


def test_starter_text_and_solution_agree(question):
    for name in question.writes:
        assert re.search(rf"^def {name}\(", question.starter, re.MULTILINE)
        assert f"def {name}(" in question.solution
    assert len(question.hints) == 3
    assert all(question.hints)
