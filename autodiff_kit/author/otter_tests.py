"""Otter-Grader tests: one file per question, in the format of ``otter run`` and ``otter generate``."""

from __future__ import annotations

import re
from pathlib import Path

from autodiff_kit.exercises.question import Question
from autodiff_kit.lessons.atomic_files import write_atomically

from .master_notebook import MasterNotebook
from .notebook_cells import cell_source, kit_metadata
from .release import learner_notebook, write_checks_module, write_made_notebook

__all__ = ["write_otter_tests"]

# Two cases with half of the points each, because a check gives none, half or all of the points.
TEST = """OK_FORMAT = True

test = {{
    "name": "{name}",
    "points": [{half}, {half}],
    "suites": [
        {{
            "cases": [
                {{"code": ">>> bool({label}.graded() >= {half})\\nTrue", "hidden": False, "locked": False}},
                {{"code": ">>> bool({label}.graded() >= {points})\\nTrue", "hidden": False, "locked": False}},
            ],
            "scored": True,
            "setup": "",
            "teardown": "",
            "type": "doctest",
        }}
    ],
}}
"""


def write_otter_tests(folder: Path, master: MasterNotebook) -> list[Path]:
    """Write the learner's notebook and otter's tests.

    Parameters
    ----------
    folder : Path
        Output folder; the tests go to ``tests/`` in it.
    master : MasterNotebook
        The exercise.

    Returns
    -------
    list of Path
        The files written. ``otter generate -t tests`` in that folder makes the zip for ``otter run``.
    """
    slug = master.lesson.slug
    written = [write_made_notebook(folder / f"{slug}.ipynb", learner_notebook(master.notebook), master)]
    for question in master.lesson.questions:
        path = folder / "tests" / f"{question.id.replace('-', '_')}.py"
        write_atomically(path, _test_file(question, _question_variable(master, question)).encode())
        written.append(path)
    return [*written, *write_checks_module(folder, master)]


def _question_variable(master: MasterNotebook, question: Question) -> str:
    """The variable of a question in its notebook: what stands before ``.check(`` in the question's own cell."""
    sources = (
        cell_source(cell)
        for cell in master.notebook["cells"]
        if (kit_metadata(cell).get("question"), kit_metadata(cell).get("part")) == (question.id, "check")
    )
    found = re.search(r"([\w.]+)\.check\(", next(sources, ""))
    return found[1] if found else master.lesson.labels[question.id]


def _test_file(question: Question, label: str) -> str:
    return TEST.format(name=question.id, label=label, points=float(question.points), half=question.points / 2)
