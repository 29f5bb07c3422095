"""The same answer gets the same points under any secret of a batch."""

from __future__ import annotations

import pytest

from autodiff_kit.exercises.check_runner import grade_attempt
from autodiff_kit.grade.grading import question_seed
from autodiff_kit.grade.submission import Submission


def points_under_secrets(question, functions, count):
    named = dict(zip(question.writes, functions, strict=True))
    seeds = [question_seed(f"secret {k}", Submission("ada"), question.id) for k in range(count)]
    return {grade_attempt(question, named, seed).share for seed in seeds}


def test_right_answers_have_all_points_under_any_secret(question, solutions, other, every_case):
    for functions in (tuple(solutions(question).values()), other):
        assert points_under_secrets(question, functions, 30 if every_case else 2) == {1.0}


@pytest.mark.slow
def test_a_wrong_answer_has_the_same_points_under_any_secret(question, wrong_ones):
    for label, (functions, _) in wrong_ones[question.id].items():
        points = points_under_secrets(question, functions, 30)
        assert len(points) == 1, label
        assert max(points) < 1, label
