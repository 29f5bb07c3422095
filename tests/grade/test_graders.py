"""The grader's processes: whatever a job does to its own ends nobody else's job, nor the process that asked for it."""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path

import pytest

from autodiff_kit.grade import graders
from autodiff_kit.grade.batch import collect_submissions
from autodiff_kit.grade.grader_jobs import GradeJob, ReadJob
from autodiff_kit.grade.results import SubmissionResult
from autodiff_kit.grade.submission import Submission
from autodiff_kit.grade.submission_discovery import Entry, HandIn

from .hostile.jobs import DEEDS, Deed
from .notebooks import LESSON, answered, notebook

ENDS = {
    "answers": ("answer", 1),
    "computes": ("exceeded", "cpu"),
    "sleeps": ("exceeded", "wall"),
    "stops": ("exceeded", "wall"),
    "eats": ("exceeded", "memory"),
    "asks for a lot": ("exceeded", "memory"),
    "says too much": ("exceeded", "output"),
    "says another form": ("failed", graders.NO_FORM),
    "says nested brackets": ("failed", graders.NO_FORM),
    "ends": ("failed", "The process that graded it was lost twice (exit code 3)."),
    "is killed": ("failed", "The process that graded it was lost twice (signal 9)."),
    "raises": ("failed", "The grader could not grade it (ValueError)."),
    "prints": ("answer", 2),
}


def test_every_way_to_end_is_told_and_ends_nothing_else(capfd):
    assert set(ENDS) == set(DEEDS)
    names = [name for deed in DEEDS for name in (deed, "answers")]
    found = dict(graders.GRADERS.map([Deed(name) for name in names], 2))
    assert [found[place] for place in range(len(names))] == [ENDS[name] for name in names]
    assert "learner" not in "".join(capfd.readouterr())


def test_a_process_that_is_ended_is_started_again(own_graders):
    assert own_graders.run(Deed("answers")) == ("answer", 1)
    [first] = own_graders._all
    first._process.kill()
    assert own_graders.run(Deed("answers")) == ("answer", 1)
    pid = first._process.pid
    own_graders.close()
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(RuntimeError, match="was ended"):
        first.run(Deed("answers"))


def test_a_job_gets_its_own_process_and_leaves_no_descriptor(own_graders):
    assert own_graders.run(Deed("answers")) == ("answer", 1)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        own_graders.run(Deed("is killed"))
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert len(own_graders._all) == 1


FACTS = {
    "exercise": LESSON.slug, "status": "", "reason": "", "stamp": "", "sha256": "0" * 64, "modules_sha256": "", "begun": 1, "submitted": "",
    "answers": True, "path": "x", "remarks": [], "fingerprints": [["adam-1", ["ff"]]],
}  # fmt: skip
MARKS = [
    {"question": one.id, "points": 1.0, "max_points": 9.0, "outcome": "passed", "message": "", "misconception": "", "seed": 1}
    for one in LESSON.questions
]  # fmt: skip
RESULT = {"status": "graded", "reason": "", "remarks": [], "login": "", "marks": MARKS}
READ = ReadJob(HandIn("ada", "", (Entry("x", "ada"),)))
GRADE = GradeJob(Submission("ada", LESSON.slug), "secret")


def test_an_answer_is_of_a_bounded_size_whatever_it_holds():
    long = {"reason": "x" * 10**6, "remarks": ["y" * 10**6] * 1000, "login": "z" * 10**6}
    marks = [{**mark, "message": "m" * 10**6, "misconception": "c" * 10**6} for mark in MARKS]
    found = GRADE.parse({**RESULT, **long, "marks": marks})
    assert len(str(found)) < 70_000
    hashes = [[f"q{k}", [f"{n:x}" for n in range(1000)]] for k in range(1000)]
    (read,) = READ.parse([{**FACTS, **long, "stamp": "s" * 10**6, "fingerprints": hashes}])
    assert len(read.reason) + sum(map(len, read.remarks)) + len(read.stamp) < 30_000
    assert sum(len(own) for _, own in read.fingerprints) < 15_000
    assert found.max_points == {one.id: one.points for one in LESSON.questions}  # not what the answer says


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "best"}, {"marks": MARKS[1:]}, {"marks": MARKS[::-1]}, {"marks": 3},
        {"marks": [{**MARKS[0], "points": 2000}, *MARKS[1:]]}, {"marks": [{**MARKS[0], "points": -1}, *MARKS[1:]]},
        {"marks": [{**MARKS[0], "points": float("nan")}, *MARKS[1:]]},
        {"marks": [{**MARKS[0], "outcome": "<b>"}, *MARKS[1:]]}, {"remarks": None},
    ],
)  # fmt: skip
def test_a_result_of_another_form_is_none(wrong):
    with pytest.raises((LookupError, TypeError, ValueError)):
        GRADE.parse({**RESULT, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "graded"}, {"exercise": "99_unknown"}, {"sha256": 3}, {"submitted": "soon"}, {"path": ["x"]},
        {"path": "x" * 5000}, {"remarks": 3}, {"fingerprints": [["adam-1", ["no number"]]]}, {"fingerprints": 1},
    ],
)  # fmt: skip
def test_facts_of_another_form_are_none(wrong):
    with pytest.raises((LookupError, TypeError, ValueError)):
        READ.parse([{**FACTS, **wrong}])


def test_what_ended_at_a_limit_is_a_result_that_is_kept():
    for limit, status in (("cpu", "timeout"), ("wall", "timeout"), ("memory", "memory"), ("output", "crashed")):
        found = GRADE.exceeded(limit)
        assert isinstance(found, SubmissionResult)
        assert (found.status, found.score, found.was_lost, len(found.marks)) == (
            status,
            0,
            False,
            len(LESSON.questions),
        )
        (read,) = READ.exceeded(limit)
        assert (read.status, read.learner) == ("invalid", "ada")
        assert "Hand in the notebook alone" in read.reason
    assert GRADE.failed("It was lost.").was_lost


def test_the_process_that_asks_has_no_limits_of_its_own_and_takes_no_time():
    began, before = time.process_time(), resource.getrlimit(resource.RLIMIT_AS)
    graders.GRADERS.run(Deed("computes"))
    assert time.process_time() - began < 0.5
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_a_file_that_changes_between_reading_and_grading_is_graded_by_the_next_run(tmp_path, sandbox):
    path = tmp_path / "ada.ipynb"
    path.write_text(json.dumps(notebook()), encoding="utf-8")
    (one,) = collect_submissions([tmp_path])
    path.write_text(json.dumps(answered()), encoding="utf-8")
    found = graders.GRADERS.run(GradeJob(one, "secret"))
    assert found.was_lost
    assert "changed while it was graded" in found.reason


@pytest.mark.parametrize(("named", "asked"), [("15", ""), (LESSON.slug, "15"), ("my_copy", "15"), (LESSON.slug, "")])
def test_a_notebook_is_graded_as_it_was_read_whoever_named_its_exercise(tmp_path, sandbox, named, asked):
    found = answered(leave=[one.id for one in LESSON.questions[1:]])
    found["metadata"]["autodiff_kit"]["exercise"] = named
    (tmp_path / "ada.ipynb").write_text(json.dumps(found), encoding="utf-8")
    (one,) = collect_submissions([tmp_path], asked)
    assert graders.GRADERS.run(GradeJob(one, "secret")).score == LESSON.questions[0].points
