"""The files of a repository that GitHub Classroom copies for each learner: a notebook, its checks, and a workflow."""

from __future__ import annotations

from pathlib import Path

import autodiff_kit
from autodiff_kit.lessons.atomic_files import write_atomically

from .master_notebook import MasterNotebook
from .release import write_release

__all__ = ["write_classroom_repository"]

WORKFLOW = """\
# Checks the notebook after each push, with the kit that it was released for; the result is on the run's page, under
# Actions. Written by `autodiff-kit author classroom`.
name: checks

on:
  push:
  workflow_dispatch:

permissions:
  contents: read

concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}
  cancel-in-progress: true

jobs:
  checks:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "{python}"
      - run: python -m pip install --quiet {requirement}
      - run: python -m autodiff_kit.grade.classroom {exercise}
"""
PYTHON = "3.12"
IGNORED = ".autodiff_kit/\n.ipynb_checkpoints/\n__pycache__/\n"


def write_classroom_repository(folder: Path, master: MasterNotebook, requirement: str = "") -> list[Path]:
    """Write the files of a starter repository for GitHub Classroom.

    Parameters
    ----------
    folder : Path
        The repository's folder; files of the same names are replaced.
    master : MasterNotebook
        The exercise. What is private in it is in none of the files.
    requirement : str, optional
        What pip installs; by default this version of the kit, with the extra ``grade``.

    Returns
    -------
    list of Path
        The files written.
    """
    wanted = requirement or f"'autodiff-kit[grade]=={autodiff_kit.__version__}'"
    workflow = WORKFLOW.format(python=PYTHON, requirement=wanted, exercise=master.lesson.slug)
    files = {folder / ".github" / "workflows" / "classroom.yml": workflow, folder / ".gitignore": IGNORED}
    for path, text in files.items():
        write_atomically(path, text.encode())
    return [*write_release(folder, master), *files]
