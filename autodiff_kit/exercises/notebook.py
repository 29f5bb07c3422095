"""The notebooks of ``exercises/``, made from the questions, so that each text stands in one place.

``python -m autodiff_kit.exercises.notebook exercises`` writes them; a test holds the stored ones against it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .questions import LESSONS

if TYPE_CHECKING:
    from .spec import Lesson, Question

__all__ = ["as_text", "build", "write_all"]

HELP = """# {label}.example     # your own numbers to try things with
# {label}.hint()      # a hint; the third costs a quarter of the points
# {label}.solution()  # a worked answer, after two tries or a pass"""


def build(lesson: Lesson) -> dict[str, Any]:
    """Make a lesson's exercise notebook: not executed, and without solutions.

    Parameters
    ----------
    lesson : Lesson
        Whose questions they are.

    Returns
    -------
    dict
        The notebook, in nbformat 4.5.
    """
    cells = [_markdown("head", _head(lesson)), _code("begin", _begin(lesson))]
    for i, question in enumerate(lesson.questions, 1):
        cells += _cells(question, f"q{i}")
    cells += [
        _markdown(
            "end",
            "## How far you are\n\nThe best attempt of each question counts; come back to any of them.",
        ),
        _code("score", f'exercise("{lesson.no}")'),
    ]
    return {"cells": cells, "metadata": _metadata(lesson), "nbformat": 4, "nbformat_minor": 5}


def as_text(lesson: Lesson) -> str:
    """The notebook as it is stored."""
    return json.dumps(build(lesson), indent=1, ensure_ascii=False) + "\n"


def write_all(folder: Path) -> list[Path]:
    """Write every exercise notebook into a folder.

    Parameters
    ----------
    folder : Path
        Where to.

    Returns
    -------
    list of Path
        The files written.
    """
    written = []
    for lesson in LESSONS.values():
        path = folder / f"{lesson.slug}.ipynb"
        path.write_text(as_text(lesson), encoding="utf-8")
        written.append(path)
    return written


def _cells(question: Question, label: str) -> list[dict[str, Any]]:
    about = {"question": question.id}
    head = f"## {label} · {question.title} ({question.points} points)\n\n{question.text}"
    return [
        _markdown(question.id + "-text", head, about),
        _code(question.id, question.starter.rstrip("\n"), {**about, "points": question.points}),
        _code(question.id + "-check", f"{label}.check()", about),
        _code(question.id + "-help", HELP.format(label=label), about),
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


def _metadata(lesson: Lesson) -> dict[str, Any]:
    about = {
        "v": 1,
        "kind": "exercise",
        "no": lesson.no,
        "slug": lesson.slug,
        "title": lesson.title,
        "goal": lesson.goal,
        "minutes": lesson.minutes,
        "needs": [lesson.no],
        "rows": list(lesson.rows),
        "summary": f"{len(lesson.questions)} questions, {lesson.points} points.",
        "keywords": list(lesson.keywords),
        "exercise": lesson.slug,
        "learner": None,
    }
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {"autodiff_kit": about, "kernelspec": kernel, "language_info": {"name": "python"}}


def _markdown(name: str, text: str, about: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": _about(about), "source": _lines(text)}


def _code(name: str, text: str, about: dict[str, Any] | None = None) -> dict[str, Any]:
    cell = {"cell_type": "code", "execution_count": None, "id": name, "metadata": _about(about)}
    return {**cell, "outputs": [], "source": _lines(text)}


def _about(about: dict[str, Any] | None) -> dict[str, Any]:
    return {"autodiff_kit": about} if about else {}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    for stored in write_all(Path(sys.argv[1] if len(sys.argv) > 1 else "exercises")):
        print(stored)
