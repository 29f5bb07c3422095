"""Master notebooks of the kit's own exercises, generated from their questions.

``python -m autodiff_kit.author.builtin_exercises exercises`` writes the learner's notebooks; a test compares the
stored ones with them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from autodiff_kit.exercises.question import Lesson, Question

from .master_notebook import BEGIN, BEGIN_HIDDEN, END, END_HIDDEN
from .notebook_cells import HELP, code_cell, exercise_metadata, make_notebook, markdown_cell, question_metadata
from .release import learner_notebook, write_notebook

__all__ = ["builtin_master", "question_cells"]

AUTHOR = """from autodiff_kit.exercises.questions import load_question

question = load_question("{id}")
check, messages, hints, example = question.check, question.messages, question.hints, question.example
spoils, praise, counterexample = question.spoils, question.praise, question.counterexample
thorough, without = question.thorough, question.without
"""


def builtin_master(lesson: Lesson) -> dict[str, Any]:
    """Return the master notebook of one of the kit's own exercises.

    Parameters
    ----------
    lesson : Lesson
        The exercise. The checks are not copied: each author's cell imports them.

    Returns
    -------
    dict
        The notebook, in nbformat 4.5, with the worked answers.
    """
    found = [markdown_cell("head", _header_text(lesson)), code_cell("begin", _setup_code(lesson))]
    for i, question in enumerate(lesson.questions, 1):
        author = AUTHOR.format(id=question.id)
        found += question_cells(question, f"q{i}", author)
    end = "## How far you are\n\nThe best attempt of each question counts; come back to any of them."
    found += [markdown_cell("end", end), code_cell("score", f'exercise("{lesson.no}")')]
    return make_notebook(found, _notebook_metadata(lesson))


def question_cells(question: Question, label: str, author: str) -> list[dict[str, Any]]:
    """The cells of one question in a master notebook: text, answer, check, help and author."""
    name, points = question.id, question.points
    text = f"## {label} · {question.title} ({points} point{'s' * (points != 1)})\n\n{question.statement}"
    answer = f"{question.starter.rstrip()}\n{BEGIN}\n{question.solution.strip()}\n{END}"
    check = f"{label}.check()\n{BEGIN_HIDDEN}\n{label}.graded()\n{END_HIDDEN}"
    return [
        markdown_cell(f"{name}-text", text, **question_metadata(name, "text")),
        code_cell(name, answer, **question_metadata(name, "answer", points=points)),
        code_cell(f"{name}-check", check, **question_metadata(name, "check", points=points)),
        code_cell(f"{name}-help", HELP.format(label=label), **question_metadata(name, "help")),
        code_cell(f"{name}-author", author.rstrip(), **question_metadata(name, "author")),
    ]


def _header_text(lesson: Lesson) -> str:
    reminders = "\n".join(f"- {reminder}" for reminder in lesson.reminders)
    return f"""# {lesson.title}

**Goal.** {lesson.goal}

{len(lesson.questions)} questions, {lesson.points} points, about {lesson.minutes} minutes.
Fill in the functions and run the check below each: it draws new numbers every time, says what it found, and a
check that fails costs nothing. Take the questions in any order.

Two reminders:

{reminders}"""


def _setup_code(lesson: Lesson) -> str:
    names = ", ".join(f"q{i}" for i in range(1, len(lesson.questions) + 1))
    return f"""import numpy as np

import autodiff_kit as ak
from autodiff_kit.learn import exercise

{names} = exercise("{lesson.no}")"""


def _notebook_metadata(lesson: Lesson) -> dict[str, Any]:
    return exercise_metadata(
        lesson.no, lesson.slug, lesson.title, lesson.goal, minutes=lesson.minutes, questions=len(lesson.questions),
        points=lesson.points, needs=[lesson.no], rows=list(lesson.rows), keywords=list(lesson.keywords),
    )  # fmt: skip


if __name__ == "__main__":
    from autodiff_kit.exercises.questions import LESSONS

    for found in LESSONS.values():
        print(write_notebook(Path(sys.argv[1]) / f"{found.slug}.ipynb", learner_notebook(builtin_master(found))))
