"""A private sibling of a shipped question: a master notebook with its text, check and messages, to be changed."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from autodiff_kit.errors import StructureError
from autodiff_kit.exercises.question import Question
from autodiff_kit.exercises.questions import LESSONS, load_question

from .builtin_exercises import question_cells
from .exercise_template import BEGINNING, new_master
from .notebook_cells import code_cell, exercise_metadata, kit_metadata, make_notebook, markdown_cell
from .release import write_notebook

__all__ = ["shipped_sibling", "variant_master", "write_variant"]

QUESTIONS = "autodiff_kit.exercises.questions"
RELATIVE_IMPORT = re.compile(r"^from (\.+)([\w.]*) import ", re.MULTILINE)
HEAD = """# {title}

**Goal.** Say in one sentence what the learner will be able to do.

This is {id} of the kit, made private. Change what it asks: numbers, shapes, a condition. As long as the worked answer
of {id}, which every learner can see, has points here, `autodiff-kit author validate` says so. Remove this paragraph."""
AUTHOR = """{source}

check, messages, hints = QUESTION.check, QUESTION.messages, QUESTION.hints
example, spoils, praise, thorough = QUESTION.example, QUESTION.spoils, QUESTION.praise, QUESTION.thorough
without = QUESTION.without"""


def write_variant(id: str, name: str, folder: Path) -> Path:
    """Write the master of a private sibling of one of the kit's questions.

    Parameters
    ----------
    id : str
        Such as ``jvp-2``.
    name : str
        Name of the new exercise.
    folder : Path
        The folder for the notebook.

    Returns
    -------
    Path
        The master, ``<name>.ipynb``.

    Raises
    ------
    StructureError
        If there is no such question, or the name is not valid.
    FileError
        If a file of that name exists.
    """
    return write_notebook(new_master(name, folder), variant_master(id, name))


def variant_master(id: str, name: str) -> dict[str, Any]:
    """The master notebook; its author's cell holds the source of the question's check."""
    if LESSONS.lesson_number(id) is None:
        raise StructureError(f"The kit has no question {id!r}; an id is such as jvp-2, and stands in every exercise.")
    question = load_question(id)
    own = f"{name.replace('_', '-')}-1"
    cells = question_cells(replace(question, id=own), "q1", AUTHOR.format(source=_absolute_source(id)))
    for cell in cells:
        if kit_metadata(cell).get("part") == "answer":
            cell["metadata"]["autodiff_kit"]["private"] = True
    title = f"{question.title}, another way"
    goal = "Say in one sentence what the learner will be able to do."
    metadata = exercise_metadata(name, name, title, goal, minutes=15, questions=1, points=question.points)
    metadata["variant_of"] = id
    head = markdown_cell("head", HEAD.format(title=title, id=id))
    return make_notebook([head, code_cell("begin", BEGINNING.format(slug=name)), *cells], metadata)


def shipped_sibling(notebook: dict[str, Any]) -> Question | None:
    """The kit's question that a master was made from; None for other masters."""
    id = notebook.get("metadata", {}).get("autodiff_kit", {}).get("variant_of")
    return load_question(id) if type(id) is str and LESSONS.lesson_number(id) is not None else None


def _absolute_source(id: str) -> str:
    """The source of a question's module with its relative imports made absolute."""
    package = f"{QUESTIONS}.lesson{LESSONS.lesson_number(id)}.{id.replace('-', '_')}"
    source = (resources.files(package) / "question.py").read_text(encoding="utf-8")

    def absolute(found: re.Match[str]) -> str:
        above = package.split(".")[: len(package.split(".")) - len(found[1]) + 1]
        return f"from {'.'.join([*above, *filter(None, [found[2]])])} import "

    return RELATIVE_IMPORT.sub(absolute, source).strip()
