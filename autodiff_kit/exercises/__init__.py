"""Graded exercises: randomly drawn checks that name the misconception behind a wrong answer, and hints in three tiers.

questions
    The kit's own questions, a folder each: text, check, worked answer, wrong answers.
question, comparison_question, custom, parameters
    What a question is; its smallest kind, one function compared with the worked answer; a teacher's own exercises;
    numbers that are drawn for each learner.
protocol, in_process, tape_meter, memory_meter, withheld
    How a check calls the learner's functions: the messages, running them in this process, what is measured, and which
    functions of the kit refuse meanwhile.
check_runner, diagnosis, compare
    How an attempt is graded: drawing, comparing values, and finding the misconception that explains every failure.
exercise, messages
    What a learner uses in a notebook, ``q1.check()``, ``q1.hint()``, ``q1.solution()``, and how results are displayed.
"""

from __future__ import annotations

from .exercise import Exercise, GradedQuestion, exercise
from .messages import CheckResult, LearnerMessage

__all__ = ["CheckResult", "Exercise", "GradedQuestion", "LearnerMessage", "exercise"]
