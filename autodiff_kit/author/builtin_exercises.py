"""The masters of the kit's own exercises, made from their questions, so that each text stands in one place.

``python -m autodiff_kit.author.builtin_exercises exercises`` writes the learner's notebooks; a test holds the stored ones
against it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import notebook_cells
from .master_notebook import BEGIN, BEGIN_HIDDEN, END, END_HIDDEN
from .release import released, write_notebook

if TYPE_CHECKING:
    from autodiff_kit.exercises.question import Lesson, Question

__all__ = ["master_of", "question_cells"]

AUTHOR = """from autodiff_kit.exercises.questions import LESSONS

question = next(q for q in LESSONS["{no}"].questions if q.id == "{id}")
check, messages, hints, example = question.check, question.messages, question.hints, question.example
spoils, praise = question.spoils, question.praise
"""


def master_of(lesson: Lesson) -> dict[str, Any]:
    """Make the master of one of the kit's own exercises.

    Parameters
    ----------
    lesson : Lesson
        Whose questions they are. Their checks stay where they are: an author's cell names them.

    Returns
    -------
    dict
        The notebook, in nbformat 4.5. It holds the worked answers.
    """
    found = [notebook_cells.markdown("head", _head(lesson)), notebook_cells.code("begin", _begin(lesson))]
    for i, question in enumerate(lesson.questions, 1):
        author = AUTHOR.format(no=lesson.no, id=question.id)
        found += question_cells(question, f"q{i}", author)
    end = "## How far you are\n\nThe best attempt of each question counts; come back to any of them."
    found += [notebook_cells.markdown("end", end), notebook_cells.code("score", f'exercise("{lesson.no}")')]
    return notebook_cells.notebook(found, _about(lesson))


def question_cells(question: Question, label: str, author: str) -> list[dict[str, Any]]:
    """The cells of one question in a master: text, answer, check, help and the author's."""
    name, points = question.id, question.points
    text = f"## {label} · {question.title} ({points} point{'s' * (points != 1)})\n\n{question.text}"
    answer = f"{question.starter.rstrip()}\n{BEGIN}\n{question.solution.strip()}\n{END}"
    check = f"{label}.check()\n{BEGIN_HIDDEN}\n{label}.graded()\n{END_HIDDEN}"
    return [
        notebook_cells.markdown(f"{name}-text", text, **notebook_cells.marked(name, "text")),
        notebook_cells.code(name, answer, **notebook_cells.marked(name, "answer", points=points)),
        notebook_cells.code(f"{name}-check", check, **notebook_cells.marked(name, "check", points=points)),
        notebook_cells.code(f"{name}-help", notebook_cells.HELP.format(label=label), **notebook_cells.marked(name, "help")),
        notebook_cells.code(f"{name}-author", author.rstrip(), **notebook_cells.marked(name, "author")),
    ]


def _head(lesson: Lesson) -> str:
    reminders = "\n".join(f"- {reminder}" for reminder in lesson.reminders)
    return f"""# {lesson.title}

**Goal.** {lesson.goal}

{len(lesson.questions)} questions, {lesson.points} points, about {lesson.minutes} minutes.
Fill in the functions and run the check below each: it draws new numbers every time, says what it found, and a
check that fails costs nothing. Take the questions in any order.

Two reminders:

{reminders}"""


def _begin(lesson: Lesson) -> str:
    names = ", ".join(f"q{i}" for i in range(1, len(lesson.questions) + 1))
    return f"""import numpy as np

import autodiff_kit as ak
from autodiff_kit.learn import exercise

{names} = exercise("{lesson.no}")"""


def _about(lesson: Lesson) -> dict[str, Any]:
    return notebook_cells.about(
        lesson.no, lesson.slug, lesson.title, lesson.goal, minutes=lesson.minutes, questions=len(lesson.questions),
        points=lesson.points, needs=[lesson.no], rows=list(lesson.rows), keywords=list(lesson.keywords),
    )  # fmt: skip


if __name__ == "__main__":
    from autodiff_kit.exercises.questions import LESSONS

    for found in LESSONS.values():
        print(write_notebook(Path(sys.argv[1]) / f"{found.slug}.ipynb", released(master_of(found))))
