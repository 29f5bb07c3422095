"""One sandbox for all tests of a worker, and notebooks graded in it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

from autodiff_kit.grade import batch, gradescope
from autodiff_kit.grade import graders as graders_module
from autodiff_kit.grade.grading import grade_submission
from autodiff_kit.grade.sandbox import ResourceLimits, SandboxError, make_runner
from autodiff_kit.grade.submission_reader import read_submission

SMALL = ResourceLimits(cpu=2.0, wall=25.0, memory=256 << 20)


@pytest.fixture(scope="session")
def sandbox():
    """A sandbox with small limits."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        pytest.skip("bubblewrap (bwrap) is not installed here, so there is no sandbox to test")
    try:
        found = make_runner(SMALL)
    except SandboxError as error:
        plain = subprocess.run(
            ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, check=False
        )
        if plain.returncode == 0:
            raise  # namespaces work here, so this is a failure
        pytest.skip(f"bubblewrap cannot make a sandbox on this machine: {str(error).splitlines()[0]}")
    yield found
    found.close()


@pytest.fixture(autouse=True)
def graders(request):
    """Batches take the worker's grader's processes, except where a test asks for ``own_graders``."""
    if "own_graders" not in request.fixturenames:
        request.getfixturevalue("lent_graders")


@pytest.fixture
def own_graders(monkeypatch):
    """New grader's processes for one test, which may end them or change what they find."""
    pool = graders_module.GraderPool()
    for module in (batch, graders_module, gradescope):
        monkeypatch.setattr(module, "GRADERS", pool)
    yield pool
    pool.close()


@pytest.fixture
def one_second(sandbox, monkeypatch):
    """A loop without an end needs no more than a second of the processor to be told."""
    monkeypatch.setattr(sandbox, "limits", replace(sandbox.limits, cpu=1.0))


@pytest.fixture
def hand_in(tmp_path, sandbox):
    """Write a notebook, read it as a submission, grade it in the sandbox."""

    def graded(found, name="eve", secret="s"):
        path = tmp_path / f"{name}.ipynb"
        path.write_text(found if isinstance(found, str) else json.dumps(found), encoding="utf-8")
        return grade_submission(read_submission(path, name), sandbox, secret)

    return graded
