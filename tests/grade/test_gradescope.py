"""Gradescope: the archive that a teacher uploads, a submission graded from its folder, and results.json."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from autodiff_kit import cli
from autodiff_kit.grade import gradescope
from autodiff_kit.grade.sandbox import OtherUserRunner, ResourceLimits, SandboxError

from .notebooks import LESSON, answered, with_cell

LIMITS = ResourceLimits(cpu=5.0, wall=20.0, memory=512 << 20)


@pytest.fixture
def container(tmp_path):
    """Gradescope's folder with the uploaded archive unpacked; hand in a notebook."""
    archive = tmp_path / "autograder.zip"
    assert cli.main(["author", "gradescope", "15", "--out", str(archive)]) == 0
    folder = tmp_path / "autograder"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder / "source")
    (folder / "results").mkdir()
    (folder / "submission").mkdir()

    def hand_in(notebook, name="work.ipynb"):
        (folder / "submission" / name).write_text(json.dumps(notebook), encoding="utf-8")
        facts = {"users": [{"email": "ada@example.org", "id": 17}], "created_at": "2026-11-20T12:00:00Z"}
        (folder / "submission_metadata.json").write_text(json.dumps(facts))
        return folder

    return hand_in


def results(folder):
    return json.loads((folder / "results" / "results.json").read_text(encoding="utf-8"))


def test_the_archive_has_what_gradescope_runs(tmp_path):
    archive = tmp_path / "a.zip"
    assert cli.main(["author", "gradescope", "15", "--out", str(archive)]) == 0
    with zipfile.ZipFile(archive) as packed:
        entries = {entry.filename: entry.external_attr >> 16 for entry in packed.infolist()}
        scripts = {name: packed.read(name).decode() for name in ("setup.sh", "run_autograder")}
    assert set(entries) == {"setup.sh", "run_autograder", "autograder.json"}
    assert entries["setup.sh"] & 0o111
    assert entries["run_autograder"] & 0o111
    for text in scripts.values():
        assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0


def test_a_submission_is_graded_with_a_test_for_each_question(container, sandbox):
    folder = container(answered(leave=("adam-1",)))
    command = [sys.executable, "-I", "-m", "autodiff_kit.grade.gradescope"]
    subprocess.run(command, env={**os.environ, "AUTODIFF_KIT_GRADESCOPE": str(folder)}, check=True)
    found = results(folder)
    points = {question.id: float(question.points) for question in LESSON.questions}
    tests = dict(zip(points, found["tests"], strict=True))
    assert [one["name"].split(" · ")[0] for one in tests.values()] == [f"q{i} ({id})" for i, id in enumerate(points, 1)]
    assert {id: one["score"] for id, one in tests.items()} == {**points, "adam-1": 0.0}
    assert {id: one["max_score"] for id, one in tests.items()} == points
    assert found["score"] == sum(points.values()) - points["adam-1"]
    assert all(one["output"] for one in found["tests"])
    assert folder.joinpath("source").stat().st_mode & 0o077 == 0


def test_a_notebook_beside_the_exercise_is_not_taken_for_it(container):
    folder = container(answered())
    os.utime(folder / "submission" / "work.ipynb", (1_700_000_000, 1_700_000_000))
    container({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, "scratch.ipynb")
    assert gradescope._only_submission(folder, LESSON.slug).path.endswith("work.ipynb")


def test_the_learner_is_the_one_whom_gradescope_names(container, sandbox):
    assert gradescope.grade_on_gradescope(container(answered())).learner == "ada@example.org"


@pytest.mark.parametrize("notebook", [{}, {"cells": [], "nbformat": 3}], ids=["no notebook", "an old one"])
def test_what_cannot_be_graded_has_a_reason(container, sandbox, notebook):
    folder = container(notebook)
    gradescope.grade_on_gradescope(folder)
    assert results(folder)["score"] == 0
    assert results(folder)["output"]


def test_without_a_notebook_gradescope_shows_the_reason(container, monkeypatch):
    folder = container({})
    (folder / "submission" / "work.ipynb").unlink()
    monkeypatch.setenv("AUTODIFF_KIT_GRADESCOPE", str(folder))
    assert gradescope.main() == 0
    assert "Hand in 15_adam_slots.ipynb" in results(folder)["output"]


def other_user_can_run_this_python():
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c", "import autodiff_kit"],
        cwd="/", capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can run a process as another user")
def test_without_namespaces_it_runs_as_another_user(container, monkeypatch, tmp_path, own_graders):
    if not other_user_can_run_this_python():
        pytest.skip("this Python lies where no other user may read")
    (tmp_path / "bin").mkdir()
    for name in ("setpriv", "prlimit"):  # and no bubblewrap
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    folder = container(with_cell(f"open({str(container(answered()) / 'source' / 'autograder.json')!r})"))
    found = gradescope.grade_on_gradescope(folder)
    assert found.score == found.max_score
    assert any("PermissionError" in remark for remark in found.remarks)


def test_another_hand_in_has_other_draws_and_the_same_one_the_same(container, sandbox):
    """Messages tell expected numbers; where hand-ins are unlimited a table of them would pass a private question."""
    first, again = (gradescope.grade_on_gradescope(container(answered())) for _ in range(2))
    other = gradescope.grade_on_gradescope(container(with_cell("1")))
    assert [mark.seed for mark in first.marks] == [mark.seed for mark in again.marks]
    assert not {mark.seed for mark in first.marks} & {mark.seed for mark in other.marks}


def test_another_user_needs_root(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SandboxError, match="root"):
        OtherUserRunner(LIMITS)
