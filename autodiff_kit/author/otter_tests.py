"""otter's tests: a file for each question, in the form that ``otter run`` and ``otter generate`` read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from autodiff_kit.lessons.atomic_files import write_atomically

from .notebook_cells import source_of
from .release import released, write_checks, write_notebook

if TYPE_CHECKING:
    from autodiff_kit.exercises.question import Question

    from .master_notebook import Master

__all__ = ["write_otter"]

# Half the points are one case, the rest another: a check gives none, half or all of them.
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


def write_otter(folder: Path, master: Master) -> list[Path]:
    """Write the learner's notebook and otter's tests.

    Parameters
    ----------
    folder : Path
        Where to; the tests go to ``tests/`` in it.
    master : Master
        The exercise.

    Returns
    -------
    list of Path
        The files written. ``otter generate -t tests`` in that folder makes the zip for ``otter run``.
    """
    slug = master.lesson.slug
    written = [write_notebook(folder / f"{slug}.ipynb", released(master.notebook))]
    for question in master.lesson.questions:
        path = folder / "tests" / f"{question.id.replace('-', '_')}.py"
        write_atomically(path, _test(question, _label(master, question)).encode())
        written.append(path)
    return [*written, *write_checks(folder, master)]


def _label(master: Master, question: Question) -> str:
    """The variable of a question in its notebook: the name before ``.check()`` in the question's own cell."""
    cell = next(
        cell
        for cell in master.notebook["cells"]
        if cell["metadata"].get("autodiff_kit", {}) == {"question": question.id, "part": "check"}
    )
    found = re.search(r"(\w+)\.check\(\)", source_of(cell))
    return found[1] if found else "q1"


def _test(question: Question, label: str) -> str:
    return TEST.format(name=question.id, label=label, points=float(question.points), half=question.points / 2)
