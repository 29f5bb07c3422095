"""GitHub Classroom: the starter repository, feedback in a learner's repository, and clones that a teacher grades."""

from __future__ import annotations

import json
import subprocess

import pytest
import yaml

import autodiff_kit
from autodiff_kit import cli
from autodiff_kit.author.exercise_template import new_exercise
from autodiff_kit.author.master_notebook import read_master
from autodiff_kit.grade import classroom
from autodiff_kit.grade.batch import collect_submissions
from autodiff_kit.grade.exercise_lookup import use_checks
from autodiff_kit.grade.submission import CELL_WORDS

from .notebooks import LESSON, answered, code


@pytest.fixture(autouse=True)
def _no_checks_of_others():
    yield
    use_checks(None)


def test_the_starter_has_the_notebook_and_a_workflow(tmp_path):
    assert cli.main(["author", "classroom", "15", "--out", str(tmp_path)]) == 0
    assert (tmp_path / f"{LESSON.slug}.ipynb").is_file()
    workflow = yaml.safe_load((tmp_path / ".github" / "workflows" / "classroom.yml").read_text())
    assert workflow[True]["push"] is None, "YAML reads the key `on` as true"
    assert workflow["permissions"] == {"contents": "read"}
    install, check = (step["run"] for step in workflow["jobs"]["checks"]["steps"] if "run" in step)
    assert install.endswith(f"'autodiff-kit[grade]=={autodiff_kit.__version__}'")
    assert check == f"python -m autodiff_kit.grade.classroom {LESSON.slug}"


def test_a_push_is_told_what_is_right(tmp_path, monkeypatch, capsys):
    notebook = answered(leave=("adam-1",))
    notebook["cells"].append(code("1 / 0"))
    (tmp_path / f"{LESSON.slug}.ipynb").write_text(json.dumps(notebook))
    page = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    monkeypatch.chdir(tmp_path)
    assert classroom.main([LESSON.slug]) == 1
    text = page.read_text(encoding="utf-8")
    assert text.strip() == capsys.readouterr().out.strip()
    first, *others = LESSON.questions
    assert f"{LESSON.points - first.points:g} of {LESSON.points:g} points" in text
    assert f"⬜ **{first.id}**" in text
    assert all(f"✅ **{question.id}**" in text for question in others)
    assert f"    {CELL_WORDS}1 / 0`" in text
    assert "ZeroDivisionError" in text


def test_a_push_in_which_all_is_right_is_green(tmp_path, monkeypatch):
    (tmp_path / f"{LESSON.slug}.ipynb").write_text(json.dumps(answered()))
    monkeypatch.chdir(tmp_path)
    assert classroom.main([LESSON.slug]) == 0


def test_a_repository_without_its_notebook(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert classroom.main([LESSON.slug]) == 1
    assert f"no {LESSON.slug}.ipynb" in capsys.readouterr().err


def test_a_repository_without_its_checks(tmp_path, monkeypatch, capsys):
    (tmp_path / "newton_steps.ipynb").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert classroom.main(["newton_steps"]) == 1
    assert "There is no folder newton_steps_checks at the top" in capsys.readouterr().err
    (tmp_path / "newton_steps_checks").mkdir()
    (tmp_path / "newton_steps_checks" / "__init__.py").write_text("1 / 0")
    use_checks(None)
    assert classroom.main(["newton_steps"]) == 1
    assert "stop with ZeroDivisionError" in capsys.readouterr().err


def test_a_private_question_is_left_to_the_teacher(tmp_path, monkeypatch, capsys):
    master = tmp_path / "rows.ipynb"
    assert cli.main(["author", "variant", "jvp-2", "rows", "--dir", str(tmp_path)]) == 0
    starter = tmp_path / "starter"
    assert cli.main(["author", "classroom", str(master), "--out", str(starter)]) == 0
    monkeypatch.chdir(starter)
    capsys.readouterr()
    assert classroom.main(["rows"]) == 0
    assert "graded later" in capsys.readouterr().out


def test_the_checks_of_an_exercise_of_ones_own_are_in_the_starter(tmp_path, monkeypatch, capsys):
    master = new_exercise("newton_steps", tmp_path)
    assert cli.main(["author", "classroom", str(master), "--out", str(tmp_path / "starter")]) == 0
    monkeypatch.chdir(tmp_path / "starter")
    capsys.readouterr()
    assert classroom.main(["newton_steps"]) == 1, "the starter alone is no answer"
    [question] = read_master(master).lesson.questions
    assert f"⬜ **{question.id}**" in capsys.readouterr().out


def git(*words, cwd):
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words], cwd=cwd, check=True, capture_output=True
    )


def test_clones_are_submissions_of_their_logins(tmp_path):
    clones = tmp_path / "slots-submissions"
    for login in ("ada", "ben-slots"):
        repository = clones / f"slots-{login}"
        repository.mkdir(parents=True)
        (repository / f"{LESSON.slug}.ipynb").write_text(json.dumps(answered()))
        (repository / "notes").mkdir()
        (repository / "notes" / "scratch.ipynb").write_text(json.dumps({"nbformat": 4, "cells": []}))
        git("init", "-q", cwd=repository)
    expected = [("ada", LESSON.slug, "", ()), ("ben-slots", LESSON.slug, "", ())]
    for beside in ("", "grades.csv", "notes/list.txt"):  # what a teacher keeps there changes nobody's login
        if beside:
            (clones / beside).parent.mkdir(exist_ok=True)
            (clones / beside).write_text("x")
        found = [one for one in collect_submissions([clones]) if one.learner != "notes"]
        assert [(one.learner, one.exercise, one.status, one.remarks) for one in found] == expected
    for one in collect_submissions([clones.rename(tmp_path / "handed-in")]):
        if one.learner != "notes":
            assert one.learner.startswith("slots-")
            assert "call the folder of the clones slots-submissions" in one.remarks[0]


def test_a_folder_that_is_no_set_of_clones_keeps_its_names(tmp_path):
    folder = tmp_path / "slots-submissions"
    for name in ("slots-ada", "ben"):
        (folder / name).mkdir(parents=True)
        (folder / name / "work.ipynb").write_text(json.dumps(answered()))
    assert [one.learner for one in collect_submissions([folder])] == ["ben", "slots-ada"]
