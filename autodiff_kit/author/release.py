"""The learner's notebook: a master without answers, hidden tests and the author's cells."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autodiff_kit.lessons.atomic_files import write_atomically

from . import notebook_cells
from .master_notebook import BEGIN, BEGIN_HIDDEN, END, END_HIDDEN

if TYPE_CHECKING:
    from .master_notebook import Master

__all__ = ["as_text", "released", "visible", "write_checks", "write_notebook"]

HELD_BACK = ("author", "wrong")
SOLUTION = re.compile(rf"\n?[ \t]*{BEGIN}.*?{END}[^\n]*", re.DOTALL)
HIDDEN = re.compile(rf"\n?[ \t]*{BEGIN_HIDDEN}.*?{END_HIDDEN}[^\n]*", re.DOTALL)
MODULE = '''"""Checks of the exercise {slug}, built from its master; a change here is lost with the next build."""

from pathlib import Path

from autodiff_kit.exercises.custom import lesson_of

LESSON = lesson_of(Path(__file__).with_name("exercise.json"), __name__)
'''


def released(notebook: dict[str, Any]) -> dict[str, Any]:
    """The learner's notebook.

    Parameters
    ----------
    notebook : dict
        A master.

    Returns
    -------
    dict
        The same cells with starters only; without the author's cells, wrong answers, outputs and hidden tests.
    """
    return {**notebook, "cells": [_shown(cell) for cell in visible(notebook)]}


def visible(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that leave the author's desk."""
    return [cell for cell in notebook["cells"] if notebook_cells.part_of(cell).get("part") not in HELD_BACK]


def as_text(notebook: dict[str, Any]) -> str:
    """A notebook as it is stored."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def write_notebook(path: Path, notebook: dict[str, Any]) -> Path:
    """Store a notebook; the path is given back."""
    write_atomically(path, as_text(notebook).encode())
    return path


def write_checks(folder: Path, master: Master) -> list[Path]:
    """Write the checks that a teacher's own exercise needs beside its notebook; those of the kit's are installed.

    Parameters
    ----------
    folder : Path
        Where the notebook stands. The checks go to ``<slug>_checks`` in it: a module for each question (the author's
        cell), and the questions' texts. Worked answers do not go with them.
    master : Master
        The exercise.

    Returns
    -------
    list of Path
        The files written; none for the kit's own exercises.
    """
    if not master.own:
        return []
    lesson = master.lesson
    home = folder / f"{lesson.slug}_checks"
    facts = {
        "no": lesson.no,
        "slug": lesson.slug,
        "title": lesson.title,
        "goal": lesson.goal,
        "minutes": lesson.minutes,
    }
    asked = [
        {"id": q.id, "points": q.points, "title": q.title, "text": q.text, "writes": q.writes, "starter": q.starter}
        for q in lesson.questions
    ]
    files = {f"{_module(name)}.py": source.rstrip() + "\n" for name, source in master.authored.items()}
    files["__init__.py"] = MODULE.format(slug=lesson.slug)
    files["exercise.json"] = json.dumps({**facts, "questions": asked}, indent=1, ensure_ascii=False) + "\n"
    for name, text in files.items():
        write_atomically(home / name, text.encode())
    return [home / name for name in sorted(files)]


def _module(question: str) -> str:
    return question.replace("-", "_")


def _shown(cell: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] != "code":
        return cell
    source = HIDDEN.sub("", SOLUTION.sub("", notebook_cells.source_of(cell))).rstrip("\n")
    return {**cell, "source": notebook_cells.lines(source), "outputs": [], "execution_count": None}
