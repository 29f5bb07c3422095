from __future__ import annotations

import copy
import sys

import pytest

from autodiff_kit.author.builtin_exercises import builtin_master
from autodiff_kit.author.exercise_template import new_exercise
from autodiff_kit.author.master_notebook import parse_master, read_master
from autodiff_kit.exercises.questions import LESSONS
from autodiff_kit.grade.sandbox import ResourceLimits, SandboxError, make_runner


@pytest.fixture(params=LESSONS)
def shipped(request):
    """The master of one of the kit's own exercises."""
    return parse_master(builtin_master(LESSONS[request.param]))


@pytest.fixture
def begun(tmp_path):
    """The master of a new exercise, on disk."""
    return new_exercise("newton_steps", tmp_path)


@pytest.fixture
def changed(begun):
    """Read the new master with some of its cells changed: ``changed({id: function of the cell})``."""

    def change(cells=None, metadata=None, drop=()):
        notebook = copy.deepcopy(read_master(begun).notebook)
        for cell in notebook["cells"]:
            if cells and cell["id"] in cells:
                cells[cell["id"]](cell)
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in drop]
        notebook["metadata"]["autodiff_kit"].update(metadata or {})
        return notebook

    return change


@pytest.fixture
def importable(monkeypatch):
    """Put a folder on the import path for this test only."""

    def forget():
        for name in [name for name in sys.modules if name.startswith("newton_steps_checks")]:
            del sys.modules[name]

    def open_to(folder):
        forget()  # a test that grades imports checks of the same name from elsewhere
        monkeypatch.syspath_prepend(folder)

    yield open_to
    forget()


@pytest.fixture
def sandbox_or_skip(lent_graders):
    """Skip where no sandbox can be started; batches take the worker's."""
    try:
        make_runner(ResourceLimits()).close()
    except SandboxError as error:
        pytest.skip(str(error).splitlines()[0])
