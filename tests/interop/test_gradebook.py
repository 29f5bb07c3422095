"""Grades go into nbgrader's own gradebook: SQLite's, and a real PostgreSQL's."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from autodiff_kit.grade.results import read_results

from ..grade.hostile.test_generated import Course

PROGRAM = """
import sys
from autodiff_kit.grade.nbgrader_gradebook import GradebookError, write_gradebook
from autodiff_kit.grade.results import QuestionGrade, SubmissionResult
from nbgrader.api import Gradebook

failed = (QuestionGrade("jvp-1", 0, 3, "error"), QuestionGrade("jvp-2", 0, 2, "error"))
marks = (QuestionGrade("jvp-1", 3, 3, "passed", "ok"), QuestionGrade("jvp-2", 1, 2, "partial", "half"))
results = [
    SubmissionResult(
        "ada", "01_x", "graded", marks=marks, submitted="2026-11-21T10:00:00+01:00", penalty=1.0, late=True,
    ),
    SubmissionResult("bob", "01_x", "timeout", "too long", marks=failed),
    SubmissionResult("cyd", "", "invalid", "no exercise"),
]
where = sys.argv[1]
assert [write_gradebook(where, results, "2026-11-20T12:00:00+00:00") for _ in range(2)] == [2, 2]
from autodiff_kit.grade.nbgrader_gradebook import database_url
with Gradebook(database_url(where)) as book:
    ada, bob = (book.find_submission("01_x", name) for name in ("ada", "bob"))
    print(ada.score, ada.late_submission_penalty, ada.max_score, ada.timestamp, bob.score, len(book.students))
    print(book.find_comment("jvp-2-answer", "01_x", "01_x", "ada").comment)
"""

FRESH = "from autodiff_kit.grade.nbgrader_gradebook import database_url\nwhere = sys.argv[1]\n"
# A name that no database takes, which the grader would have cleaned, and one that is too long for PostgreSQL.
HOSTILE = """
from dataclasses import replace
hostile = [replace(results[0], learner=name) for name in ("a\\udc80", "x" * 5000)]
for _ in range(2):
    try:
        write_gradebook(where, [*hostile, *results])
    except GradebookError as error:
        print(error)
with Gradebook(database_url(where)) as book:
    print("scores", [book.find_submission("01_x", name).score for name in ("ada", "bob")])
"""


def check(said):
    assert said.splitlines()[-2:] == ["4.0 1.0 5.0 2026-11-21 09:00:00 0.0 2", "half"]


def test_sqlite_by_default(tool, tmp_path):
    check(tool("python", "-c", PROGRAM, str(tmp_path / "book.db"), cwd=tmp_path))


def test_results_that_the_database_refuses_cost_nobody_else(tool, tmp_path):
    assert_refused(
        tool("python", "-c", PROGRAM.partition("where =")[0] + FRESH + HOSTILE, str(tmp_path / "b.db"), cwd=tmp_path)
    )


STORED = """
import json, sys
from pathlib import Path
from autodiff_kit.grade.nbgrader_gradebook import database_url, write_gradebook
from autodiff_kit.grade.results import read_results
from nbgrader.api import Gradebook
results, where = read_results(Path(sys.argv[1])), sys.argv[2]
assert write_gradebook(where, results) == write_gradebook(where, results) == sum(bool(one.exercise) for one in results)
with Gradebook(database_url(where)) as book:
    stored = ((one, book.find_submission(one.exercise, one.learner)) for one in results if one.marks)
    print(json.dumps({f"{one.learner} {one.exercise}": found.score for one, found in stored}))
"""


def test_results_of_hostile_hand_ins_are_stored(tool, tmp_path):
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap (bwrap) is not installed here, so there is no sandbox to grade in")
    course = Course(tmp_path, ["a folder"])
    course.check("a folder", 7, 40)
    path = tmp_path / "out" / "results.jsonl"
    said = tool("python", "-c", STORED, str(path), str(tmp_path / "b.db"), cwd=tmp_path)
    found = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
    told = {f"{one.learner} {one.exercise}": one.raw_score for one in read_results(path) if one.marks}
    assert found == pytest.approx(told)
    assert {name.split()[0] for name in found} > {"ada", "bob", "cyd"}


def assert_refused(said, count=1):
    kept = [line for line in said.splitlines() if line.startswith(("The gradebook refused", "scores"))]
    first, second, scores = kept  # nbgrader's own log stands among them
    assert first == second
    assert f"refused the grades of {count} of 4 submissions: a⟨U+DC80⟩" in first
    assert "All others are in it" in first
    assert scores == "scores [4.0, 0.0]"


def test_a_database_that_does_not_respond_is_an_error(tool, tmp_path):
    program = """
from autodiff_kit.grade.nbgrader_gradebook import GradebookError, write_gradebook
try:
    write_gradebook("postgresql://nobody@127.0.0.1:9/none", [])
except GradebookError as error:
    print(error)
"""
    assert "could not be written" in tool("python", "-c", program, cwd=tmp_path)


@pytest.fixture
def postgres(tmp_path):
    """A temporary PostgreSQL server, as packaged by Debian; returns its URL."""
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not homes:
        pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
    home, port = homes[-1], free_port()
    folder = Path("/tmp") / f"autodiff-kit-{os.getpid()}"
    folder.mkdir(mode=0o755)
    user = {}
    if os.geteuid() == 0:  # the server refuses root
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}

    def run(name, *words):
        subprocess.run([home / name, *words], check=True, capture_output=True, cwd=folder, timeout=120, **user)

    run("initdb", "-D", folder / "data", "-A", "trust", "-U", "postgres")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
    run("pg_ctl", "-D", folder / "data", "-o", options, "-l", folder / "log", "-w", "start")
    run("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres", "course")
    yield f"postgresql://postgres@127.0.0.1:{port}/course"
    run("pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_postgresql_through_the_same_url(tool, tmp_path, postgres):
    check(tool("python", "-c", PROGRAM, postgres, cwd=tmp_path))
    assert_refused(tool("python", "-c", PROGRAM.partition("where =")[0] + FRESH + HOSTILE, postgres, cwd=tmp_path), 2)
