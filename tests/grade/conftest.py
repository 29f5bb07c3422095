"""One box for all tests of a worker, and notebooks graded in it."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

from autodiff_kit.grade.box import BoxError, Limits, room
from autodiff_kit.grade.grading import grade_submission
from autodiff_kit.grade.submission import read

SMALL = Limits(cpu=2.0, wall=25.0, memory=256 << 20)


@pytest.fixture(scope="session")
def box():
    """A box with small limits."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        pytest.skip("bubblewrap (bwrap) is not installed here, so there is no box to test")
    try:
        found = room(SMALL)
    except BoxError as error:
        pytest.skip(f"bubblewrap cannot make a box on this machine: {str(error).splitlines()[0]}")
    yield found
    found.close()


@pytest.fixture
def hand_in(tmp_path, box):
    """Write a notebook, read it as a submission, grade it in the box."""

    def graded(found, name="eve", secret="s"):
        path = tmp_path / f"{name}.ipynb"
        path.write_text(found if isinstance(found, str) else json.dumps(found), encoding="utf-8")
        return grade_submission(read(path, name), box, secret)

    return graded
