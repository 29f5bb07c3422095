"""Graded in the sandbox, the same notebook has the same points under any secret of the batch."""

from __future__ import annotations

import pytest

from autodiff_kit.author.mutation import make_mutants
from autodiff_kit.exercises.questions import LESSONS

from .notebooks import answered

SECRETS = ("first", "second", "third")


def with_faults(lesson, turn):
    """The lesson's exercise with one fault in the answer to every second question."""
    faulty = {}
    for question in lesson.questions[turn % 2 :: 2]:
        mutants = make_mutants(question.solution)
        faulty[question.id.replace("-", "_")] = mutants[turn * len(mutants) // TURNS].source
    return answered(lesson, **faulty)


TURNS = 4


def check_points(lesson, hand_in, turns):
    scores = []
    for turn in turns:
        results = [hand_in(with_faults(lesson, turn), secret=secret) for secret in SECRETS]
        assert len({mark.seed for result in results for mark in result.marks}) == len(SECRETS) * len(lesson.questions)
        assert results[0].points == results[1].points == results[2].points, (turn, [one.marks for one in results])
        scores.append(results[0].score)
    assert min(scores) < lesson.points  # a fault may change no answer, but not all of them


def test_faulty_answers_have_the_same_points_under_any_secret(hand_in):
    check_points(LESSONS["14"], hand_in, range(1))


@pytest.mark.slow
@pytest.mark.parametrize("no", list(LESSONS))
def test_the_faulty_answers_of_every_lesson_have_the_same_points_under_any_secret(hand_in, no):
    worked = answered(LESSONS[no])
    assert {hand_in(worked, secret=secret).score for secret in SECRETS} == {float(LESSONS[no].points)}
    check_points(LESSONS[no], hand_in, range(TURNS))
