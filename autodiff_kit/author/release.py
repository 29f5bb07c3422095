"""The learner's release: a master notebook without answers, hidden tests and author's cells."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autodiff_kit.errors import FileError
from autodiff_kit.exercises.custom import module_name
from autodiff_kit.lessons.atomic_files import write_atomically

from .master_notebook import BEGIN, BEGIN_HIDDEN, END, END_HIDDEN, MasterNotebook
from .notebook_cells import cell_source, kit_metadata, source_lines

__all__ = [
    "learner_notebook",
    "notebook_json",
    "visible_cells",
    "write_checks_module",
    "write_grading_checks",
    "write_made_notebook",
    "write_notebook",
    "write_release",
]

HELD_BACK = ("author", "public", "wrong")
SOLUTION = re.compile(rf"\n?[ \t]*{BEGIN}.*?{END}[^\n]*", re.DOTALL)
HIDDEN = re.compile(rf"\n?[ \t]*{BEGIN_HIDDEN}.*?{END_HIDDEN}[^\n]*", re.DOTALL)
MODULE = '''"""Checks of the exercise {slug}, built from its master; the next build overwrites changes."""

from pathlib import Path

from autodiff_kit.exercises.custom import load_built_lesson

LESSON = load_built_lesson(Path(__file__).with_name("exercise.json"), __name__)
'''


def learner_notebook(notebook: dict[str, Any]) -> dict[str, Any]:
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
    return {**notebook, "cells": [_learner_cell(cell) for cell in visible_cells(notebook)]}


def visible_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """All cells except the author's cells and the wrong answers."""
    return [cell for cell in notebook["cells"] if kit_metadata(cell).get("part") not in HELD_BACK]


def notebook_json(notebook: dict[str, Any]) -> str:
    """A notebook as JSON text, formatted as in the repository."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def write_notebook(path: Path, notebook: dict[str, Any]) -> Path:
    """Write a notebook and return its path."""
    write_atomically(path, notebook_json(notebook).encode())
    return path


def write_made_notebook(path: Path, notebook: dict[str, Any], master: MasterNotebook) -> Path:
    """Write a notebook that was made from a master, never over that master itself, and return its path."""
    if master.path is not None and path.exists() and path.samefile(master.path):
        raise FileError(
            f"{path} is the master itself, which would lose its checks and worked answers. Give another folder with "
            "--out."
        )
    return write_notebook(path, notebook)


def write_release(folder: Path, master: MasterNotebook) -> list[Path]:
    """Write the learner's notebook, and the checks if it is a teacher's own exercise; return the files."""
    notebook = write_made_notebook(folder / f"{master.lesson.slug}.ipynb", learner_notebook(master.notebook), master)
    return [notebook, *write_checks_module(folder, master)]


def write_grading_checks(folder: Path, master: MasterNotebook) -> list[Path]:
    """Write the package with all checks of a teacher's own exercise, for ``autodiff-kit grade --checks``."""
    return write_checks_module(folder, master, with_private=True)


def write_checks_module(folder: Path, master: MasterNotebook, *, with_private: bool = False) -> list[Path]:
    """Write the package with the checks of a teacher's own exercise; the kit's own checks are already installed.

    Parameters
    ----------
    folder : Path
        The notebook's folder. The checks go to ``<slug>_checks`` in it: a module for each question (the author's
        cell), and the texts of the questions, without worked answers. Modules of an earlier build go: a question may
        have become private since.
    master : MasterNotebook
        The exercise.
    with_private : bool
        Whether private questions keep their checks.

    Returns
    -------
    list of Path
        The files written; none for the kit's own exercises.
    """
    if not master.is_custom:
        return []
    lesson = master.lesson
    home = folder / f"{lesson.slug}_checks"
    facts = {
        "no": lesson.no,
        "slug": lesson.slug,
        "title": lesson.title,
        "goal": lesson.goal,
        "minutes": lesson.minutes,
        "seed": lesson.seed,
    }
    asked: list[dict[str, Any]] = [
        {"id": q.id, "points": q.points, "title": q.title, "text": q.text, "writes": q.writes, "starter": q.starter}
        for q in lesson.questions
    ]
    sources = master.author_sources if with_private else master.public_sources
    for entry, question in zip(asked, lesson.questions, strict=True):
        if question.parameters:
            entry["parameters"] = question.parameters
        if question.private and not with_private:
            entry["private" if sources[question.id] else "checked_later"] = True
    files = {f"{module_name(name)}.py": source.rstrip() + "\n" for name, source in sources.items() if source}
    files["__init__.py"] = MODULE.format(slug=lesson.slug)
    files["exercise.json"] = json.dumps({**facts, "questions": asked}, indent=1, ensure_ascii=False) + "\n"
    _remove_other_modules(home, files)
    for name, text in files.items():
        write_atomically(home / name, text.encode())
    return [home / name for name in sorted(files)]


def _remove_other_modules(home: Path, files: Iterable[str]) -> None:
    for path in home.glob("*.py"):
        if path.name not in files:
            path.unlink()
    shutil.rmtree(home / "__pycache__", ignore_errors=True)  # bytecode tells a check as well


def _learner_cell(cell: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] != "code":
        return cell
    source = HIDDEN.sub("", SOLUTION.sub("", cell_source(cell))).rstrip("\n")
    return {**cell, "source": source_lines(source), "outputs": [], "execution_count": None}
