"""Parameters of a question: values drawn for each learner, so that a copied answer is a wrong answer.

A question declares the values that each of its parameters may have. A learner's follow from the exercise's seed and the
learner's login, by a hash: the notebook and the grader compute the same, whatever version of NumPy each has.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from .question import Lesson, Question, no_public_check

__all__ = [
    "ParameterValues", "assignment_lines", "bind_parameters", "draw_parameters", "format_parameters", "normal_login",
]  # fmt: skip

ParameterValues: TypeAlias = Mapping[str, str | float | bool]


def normal_login(login: str) -> str:
    """A login without differences that people do not see: capitals, spaces around it, composed letters."""
    return unicodedata.normalize("NFC", login).strip().casefold()


def draw_parameters(lesson: Lesson, question: Question, login: str) -> dict[str, str | float | bool]:
    """The values of a question's parameters for one learner.

    Parameters
    ----------
    lesson : Lesson
        The exercise; another seed gives every learner other values.
    question : Question
        The question.
    login : str
        The learner's login.

    Returns
    -------
    dict
        A value for each parameter; empty for a question without parameters.
    """

    def place(name: str, count: int) -> int:
        text = "\0".join((lesson.seed, question.id, name, normal_login(login)))
        return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest(), "big") % count

    return {name: values[place(name, len(values))] for name, values in question.parameters.items()}


def bind_parameters(question: Question, values: ParameterValues) -> Question:
    """The question of one learner: its check takes the values as keywords, the worked answer as variables."""
    if not values:
        return question
    check: Any = question.check
    example: Any = question.counterexample
    thorough: Any = question.thorough
    return replace(
        question,
        check=check if check is no_public_check else partial(check, **values),
        counterexample=example and partial(example, **values),
        thorough=thorough and partial(thorough, **values),
        solution=question.solution and assignment_lines(values) + question.solution,
        parameters={},
    )


def assignment_lines(values: ParameterValues) -> str:
    """Python that gives the parameters their values, for worked and wrong answers, which name them."""
    return "".join(f"{name} = {value!r}\n" for name, value in values.items())


def format_parameters(values: ParameterValues) -> str:
    """The values for a message: ``k = 3``, ``f = 'sin'``, each in backquotes."""
    return ", ".join(f"`{name} = {value!r}`" for name, value in values.items())
