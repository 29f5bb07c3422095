"""nbgrader's course folder: the source notebook with hidden tests, and a configuration that keeps the starters."""

from __future__ import annotations

from pathlib import Path

from autodiff_kit.lessons.atomic_files import write_atomically

from .master_notebook import MasterNotebook
from .release import visible_cells, write_checks_module, write_made_notebook

__all__ = ["write_nbgrader_course"]

CONFIG = '''"""nbgrader's settings for exercises of autodiff_kit."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "{course}"
# The starter is above the worked answer, so no stub has to replace the answer.
c.ClearSolutions.code_stub = {{"python": ""}}
# A solution is recognized by its marks; its cell is an ordinary one.
c.ClearSolutions.enforce_metadata = True
'''


def write_nbgrader_course(folder: Path, master: MasterNotebook) -> list[Path]:
    """Write an exercise into a course folder of nbgrader; other exercises in it are not changed.

    Parameters
    ----------
    folder : Path
        The course folder; created if it does not exist.
    master : MasterNotebook
        The exercise.

    Returns
    -------
    list of Path
        The files written: ``nbgrader_config.py`` if there was none, and ``source/<slug>/<slug>.ipynb``.
    """
    slug = master.lesson.slug
    home = folder / "source" / slug
    given = {**master.notebook, "cells": visible_cells(master.notebook)}
    written = [write_made_notebook(home / f"{slug}.ipynb", given, master), *write_checks_module(home, master)]
    config = folder / "nbgrader_config.py"
    if not config.exists():
        write_atomically(config, CONFIG.format(course=folder.name or "course").encode())
        written.append(config)
    return written
