"""A batch: equal results on every run and number of workers; nothing is graded twice or lost if it is killed."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from autodiff_kit import cli
from autodiff_kit.grade import batch, result_store
from autodiff_kit.grade.progress_bar import ProgressBar
from autodiff_kit.grade.result_store import ResultStore
from autodiff_kit.grade.results import QuestionGrade, SubmissionResult, read_results
from autodiff_kit.grade.sandbox import SandboxError, make_runner
from autodiff_kit.grade.submission import Submission

from .hostile.jobs import LosesItsSandbox, RaisesOSError
from .notebooks import LESSON, LESSONS, answered, notebook, with_cell

FULL = float(LESSON.points)
LOST = float(sum(question.points for question in LESSON.questions if question.id in ("adam-1", "adam-5")))
WRONG = "def brake(slots, last_gradient, b1):\n    return 1.0"


@pytest.fixture
def subs(tmp_path, sandbox):
    """Six submissions of different kinds."""
    folder = tmp_path / "subs"
    folder.mkdir()
    found = {
        "ada": answered(),
        "bob": answered(adam_5=WRONG, leave=("adam-1",)),
        "cyd": with_cell("import os; os._exit(1)"),
        "dan": notebook(),
        "eve": answered(LESSONS["06"]),
    }
    for name, one in found.items():
        (folder / f"{name}.ipynb").write_text(json.dumps(one), encoding="utf-8")
        os.utime(folder / f"{name}.ipynb", (1_700_000_000, 1_700_000_000))
    (folder / "fay.ipynb").write_text("", encoding="utf-8")
    os.utime(folder / "fay.ipynb", (1_700_000_000, 1_700_000_000))
    return folder


def grade(subs, out, *more):
    return cli.main(["grade", str(subs), "--out", str(out), "--workers", "1", *more])


def by_name(out):
    return {result.learner: result for result in read_results(out / "results.jsonl")}


@pytest.fixture
def jobs(monkeypatch):
    """The jobs that batches grade, in their order."""
    found, real = [], batch._grade_all

    def noted(some, options):
        found.extend(some)
        return real(some, options)

    monkeypatch.setattr(batch, "_grade_all", noted)
    return found


def contents(out):
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and ".grading" not in path.parts
    }


def test_a_batch_from_end_to_end(subs, tmp_path, capsys):
    out = tmp_path / "out"
    assert grade(subs, out) == 0
    found = by_name(out)
    assert {name: (one.status, one.score) for name, one in found.items()} == {
        "ada": ("graded", FULL),
        "bob": ("graded", FULL - LOST),
        "cyd": ("crashed", FULL),
        "dan": ("graded", 0.0),
        "eve": ("graded", 15.0),
        "fay": ("invalid", 0.0),
    }
    assert {path.name for path in (out / "feedback").iterdir()} == {f"{name}.html" for name in found}
    assert (out / "grades.csv").read_text().count("\n") == 7
    said = capsys.readouterr().out
    assert "2 could not be graded in full" in said
    assert all(Path(path).exists() for path in re.findall(rf"{out}/[\w.]*\w", said))
    assert len(re.findall(rf"{out}/", said)) == 3


def test_results_are_the_same_on_every_run_and_number_of_workers(subs, tmp_path):
    for name, workers in (("one", "1"), ("two", "2")):
        assert grade(subs, tmp_path / name, "--seed", "7", "--workers", workers) == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert grade(subs / "ada.ipynb", tmp_path / "other", "--seed", "8") == 0
    seeds = [{mark.seed for mark in by_name(tmp_path / name)["ada"].marks} for name in ("one", "other")]
    assert not seeds[0] & seeds[1]


def test_random_draws_are_secret_unless_a_seed_is_given(subs, tmp_path):
    seeds = []
    for name in ("a", "b"):
        assert grade(subs / "ada.ipynb", tmp_path / name) == 0
        seeds.append({mark.seed for mark in by_name(tmp_path / name)["ada"].marks})
    assert not seeds[0] & seeds[1]
    assert len(seeds[0]) == len(LESSON.questions)


def test_graded_submissions_are_not_graded_again(subs, tmp_path, jobs):
    out = tmp_path / "out"
    assert grade(subs, out) == 0
    before = contents(out)
    assert len(jobs) == 6
    assert grade(subs, out) == 0
    assert len(jobs) == 6
    assert contents(out) == before


def test_only_a_changed_submission_is_graded_again(subs, tmp_path, jobs):
    out = tmp_path / "out"
    assert grade(subs, out) == 0
    jobs.clear()
    (subs / "dan.ipynb").write_text(json.dumps(answered()), encoding="utf-8")
    assert grade(subs, out) == 0
    assert [job.submission.learner for job in jobs] == ["dan"]
    assert by_name(out)["dan"].score == FULL


@pytest.mark.slow
def test_what_ended_by_a_limit_is_graded_again_with_a_higher_one(tmp_path, sandbox):
    """As the guide advises; with the same limits it is not run again."""
    subs, out = tmp_path / "subs", tmp_path / "out"
    subs.mkdir()
    busy = "import time\nwhile time.process_time() < 1.5:\n    pass"
    (subs / "ada.ipynb").write_text(json.dumps(with_cell(busy)), encoding="utf-8")
    assert grade(subs, out, "--cpu", "1") == 0
    assert by_name(out)["ada"].status == "timeout"
    stored = {path.stat().st_mtime_ns for path in (out / ".grading" / "results").iterdir()}
    assert grade(subs, out, "--cpu", "1") == 0
    assert {path.stat().st_mtime_ns for path in (out / ".grading" / "results").iterdir()} == stored
    assert grade(subs, out) == 0
    assert (by_name(out)["ada"].status, by_name(out)["ada"].score) == ("graded", FULL)


def test_a_copied_random_id_is_in_the_report_and_changes_nobody_elses_result(tmp_path, sandbox):
    subs, out = tmp_path / "subs", tmp_path / "out"

    def listed():
        return (out / "report.html").read_text().partition("<h2>The same random id</h2>")[2].partition("<h2>")[0]

    subs.mkdir()
    shared = with_cell("1 / 0")
    shared["metadata"]["autodiff_kit"]["learner"] = "one random id"
    (subs / "ada.ipynb").write_text(json.dumps(shared), encoding="utf-8")
    assert grade(subs, out) == 0
    alone = by_name(out)["ada"]
    assert "ada" not in listed()
    shared["cells"][0]["source"] += "another file"
    (subs / "bob.ipynb").write_text(json.dumps(shared), encoding="utf-8")
    assert grade(subs, out) == 0
    assert by_name(out)["ada"] == alone
    assert "ada</a>; <a" in listed()


@pytest.mark.slow
@pytest.mark.parametrize("kill", [os.killpg, os.kill], ids=["all of it", "the batch alone"])
def test_a_batch_continues_after_a_kill(subs, tmp_path, kill):
    """At once: of a batch that was killed alone, workers and sandboxes may still be there when it is taken up."""
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert grade(subs, whole, "--seed", "7") == 0
    command = [
        sys.executable,
        "-m",
        "autodiff_kit",
        "grade",
        str(subs),
        "--out",
        str(out),
        "--seed",
        "7",
        "--workers",
        "2",
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        kept = out / ".grading" / "results"
        while len(list(kept.glob("*.json"))) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        kill(process.pid, signal.SIGKILL)
    done = {path: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert 2 <= len(done) <= 6
    assert not (out / "results.jsonl").exists()
    assert grade(subs, out, "--seed", "7") == 0
    assert {path: path.stat().st_mtime_ns for path in done} == done
    assert contents(out) == contents(whole)


@pytest.mark.slow
def test_ctrl_c_ends_the_workers_at_once(tmp_path, sandbox):
    """None of them goes on with the next submission, for which the command would wait."""
    (tmp_path / "subs").mkdir()
    for name in ("ada", "bob", "cyd", "dan"):
        (tmp_path / "subs" / f"{name}.ipynb").write_text(json.dumps(with_cell("import time; time.sleep(50)")))
    command = ["grade", str(tmp_path / "subs"), "--out", str(tmp_path / "out"), "--workers", "2"]
    with subprocess.Popen(
        [sys.executable, "-m", "autodiff_kit", *command], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        while not (tmp_path / "out" / ".grading" / "secret").exists():
            time.sleep(0.1)
        time.sleep(5)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "run the same command again to continue" in said


def test_two_graders_do_not_share_a_folder(subs, tmp_path, capsys):
    with ResultStore(tmp_path / "out"):
        assert grade(subs, tmp_path / "out") == 1
    assert "writing grades to" in capsys.readouterr().err


def test_the_secret_of_a_folder_is_made_under_its_lock(tmp_path):
    """Of two runs that begin at once each would make one, and the first would grade by a secret that is gone."""
    with ResultStore(tmp_path):
        made = (tmp_path / ".grading" / "secret").read_text()
    (tmp_path / ".grading" / "secret").unlink()
    other = ResultStore(tmp_path)
    assert not (tmp_path / ".grading" / "secret").exists()
    with other:
        assert (tmp_path / ".grading" / "secret").read_text() == other.secret != made


@pytest.mark.parametrize("held", [b"", b"\xff"])
def test_a_secret_that_was_damaged_does_not_become_known(tmp_path, held):
    (tmp_path / ".grading").mkdir()
    (tmp_path / ".grading" / "secret").write_bytes(held)
    with ResultStore(tmp_path) as store:
        assert store.secret


def test_a_folder_whose_file_system_has_no_locks_is_written(tmp_path, monkeypatch):
    import fcntl

    def none(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with ResultStore(tmp_path) as store:
        assert store.secret


def test_a_full_disk_is_an_error_that_says_what_to_do(tmp_path, capsys, monkeypatch):
    (tmp_path / "fay.ipynb").write_text("", encoding="utf-8")

    def full(path, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(result_store, "write_atomically", full)
    assert grade(tmp_path / "fay.ipynb", tmp_path / "out") == 1
    assert "No space left on device). The results so far are kept: make room" in capsys.readouterr().err


def test_the_command_can_be_stopped_while_it_reads(tmp_path, capsys, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "collect_submissions", stopped)
    assert grade(tmp_path, tmp_path / "out") == 1
    assert "run the same command again" in capsys.readouterr().err


def test_a_stored_result_that_was_changed_by_hand_is_made_again(tmp_path):
    one = Submission("ada")
    limits = batch.ResourceLimits()
    with ResultStore(tmp_path) as store:
        store.save(one, SubmissionResult("ada", "", "graded"), limits)
        (path,) = (tmp_path / ".grading" / "results").iterdir()
        path.write_text(path.read_text().replace('"remarks": []', '"remarks": null'))
        assert store.load(one, limits) is None


def test_a_result_is_kept_only_while_its_questions_and_points_are_the_exercises(tmp_path, monkeypatch):
    """Totals of a class could not be compared otherwise, and a question that is new would be nobody's."""
    one = Submission("ada", LESSON.slug)
    right = tuple(QuestionGrade(question.id, 1.0, question.points, "passed") for question in LESSON.questions)
    fresh = SubmissionResult("ada", LESSON.slug, "graded", marks=right, reason="fresh")
    monkeypatch.setattr(batch, "_grade_all", lambda jobs, options: [(job.submission, fresh) for job in jobs])
    for marks, exercise, reason in (
        (right, LESSON.slug, "kept"),
        (right[1:], LESSON.slug, "fresh"),
        ((replace(right[0], max_points=9), *right[1:]), LESSON.slug, "fresh"),
        (right, "an_exercise_that_is_gone", "fresh"),
    ):
        with ResultStore(tmp_path) as store:
            stored = replace(fresh, marks=marks, exercise=exercise, reason="kept")
            store.save(one, stored, batch.ResourceLimits())
            (found,) = batch.grade_batch([one], store, batch.BatchOptions())
        assert (found.reason, found.marks) == (reason, right)


@pytest.mark.parametrize(("status", "kept"), [("graded", True), ("crashed", False), ("tampered", False)])
def test_a_limit_may_have_ended_what_has_the_status_of_an_earlier_failure(tmp_path, status, kept):
    one, limits = Submission("ada"), batch.ResourceLimits()
    with ResultStore(tmp_path) as store:
        store.save(one, SubmissionResult("ada", "", status), limits)
        assert store.load(one, limits) is not None
        assert (store.load(one, replace(limits, cpu=60.0)) is not None) == kept


def test_pages_of_learners_who_are_gone_go_too(tmp_path):
    for name in ("fay", "gus"):
        (tmp_path / f"{name}.ipynb").write_text("", encoding="utf-8")
    out = tmp_path / "out"
    assert grade(tmp_path, out, "--unsafe-no-sandbox") == 0
    (out / "feedback" / "mine.html").write_text("the teacher's own")
    (tmp_path / "fay.ipynb").unlink()
    assert grade(tmp_path, out, "--unsafe-no-sandbox") == 0
    assert sorted(page.name for page in (out / "feedback").iterdir()) == ["gus.html", "mine.html"]


@pytest.mark.slow
def test_one_question_is_graded_again_and_the_others_are_kept(subs, tmp_path, jobs):
    out = tmp_path / "out"
    assert grade(subs, out) == 0
    before = by_name(out)
    jobs.clear()
    assert grade(subs, out, "--regrade", "adam-5") == 0
    assert [job.only for job in jobs] == [
        "adam-5",
        "adam-5",
        "",
        "adam-5",
    ]  # the third ended its run, so all of it is run again
    assert by_name(out) == before


@pytest.mark.slow
def test_a_new_submission_is_graded_in_full_where_one_question_is_graded_again(subs, tmp_path):
    kept = subs.parent / "bob.ipynb"
    (subs / "bob.ipynb").rename(kept)
    assert grade(subs, tmp_path / "out") == 0
    kept.rename(subs / "bob.ipynb")
    assert grade(subs, tmp_path / "out", "--regrade", "adam-5") == 0
    found = by_name(tmp_path / "out")["bob"]
    assert (found.score, found.max_score) == (FULL - LOST, FULL)


@pytest.mark.slow
def test_a_killed_worker_is_replaced(subs, tmp_path, sandbox):
    """The submission of a lost process is graded by another one."""
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "autodiff_kit",
        "grade",
        str(subs),
        "--out",
        str(out),
        "--seed",
        "7",
        "--workers",
        "2",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        while not (workers := _workers_of(process.pid)):
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(workers[0], signal.SIGKILL)
        process.communicate()
    assert process.returncode == 0
    assert grade(subs, tmp_path / "whole", "--seed", "7") == 0
    assert contents(out) == contents(tmp_path / "whole")


def _workers_of(pid):
    """The grader's worker processes, once they have started to work."""
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208
        try:
            stat = open(f"/proc/{name}/stat").read().rpartition(")")[2].split() if name.isdigit() else ["", "0"]  # noqa: PTH123, SIM115
            words = open(f"/proc/{name}/cmdline").read() if stat[1] == str(pid) else ""  # noqa: PTH123, SIM115
        except OSError:
            continue
        if "grader_process" in words:
            found.append(int(name))
    return found


def test_late_work(subs, tmp_path):
    os.utime(subs / "ada.ipynb", (1_700_000_000 + 86400 * 1.5, 1_700_000_000 + 86400 * 1.5))
    rule = ["--due", "2023-11-14T22:13:20", "--late-per-day", "10"]
    assert grade(subs, tmp_path / "out", *rule) == 0
    found = by_name(tmp_path / "out")
    assert (found["ada"].late, found["ada"].penalty, found["ada"].score) == (True, FULL * 0.2, FULL * 0.8)
    assert (found["eve"].late, found["eve"].score) == (False, 15.0)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--exercise", "nope"], "no exercise 'nope'"),
        (["--workers", "0"], "--workers must be 1 or more"),
        (["--due", "tomorrow"], "not a time"),
        (["--due", "0001-01-01T00:00+01:00"], "not a time"),
        (["--due", "2026-11-30"], "no time of day. Write it as 2026-11-30T23:59"),
        (["--late-per-day", "10"], "Add --due"),
        (["--grace", "10"], "Add --due"),
        (["--column", "Slots (7)"], "Add --roster FILE"),
        (["--late-per-day", "-3"], "percentages"),
        (["--scheduler", "tcp://127.0.0.1:1"], "scheduler"),
        (["--memory", "0"], "--memory"),
        (["--regrade", "nope"], "--regrade must name a question"),
    ],
)
def test_invalid_options_are_errors(subs, tmp_path, capsys, monkeypatch, more, said):
    monkeypatch.setattr(batch, "SCHEDULER_TIMEOUT", 1)
    words = ["grade", str(subs), "--out", str(tmp_path / "out"), *more]
    assert cli.main(words) == 1
    assert said in capsys.readouterr().err


def test_missing_submissions(tmp_path, capsys):
    assert grade(tmp_path / "nothing", tmp_path / "out") == 1
    assert "does not exist" in capsys.readouterr().err


def test_without_a_sandbox_nothing_runs_unless_requested(subs, tmp_path, capsys, monkeypatch, own_graders):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert grade(subs, tmp_path / "out") == 1
    said = capsys.readouterr().err
    assert "bubblewrap (bwrap) is not installed" in said
    assert "No notebook was run" in said
    assert "--unsafe-no-sandbox" in said
    assert grade(subs / "ada.ipynb", tmp_path / "out", "--unsafe-no-sandbox") == 0
    assert by_name(tmp_path / "out")["ada"].score == FULL


def test_on_macos_a_sandbox_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxError, match="a sandbox needs Linux, but this is darwin"):
        make_runner(batch.ResourceLimits())


def test_a_sandbox_that_cannot_start_is_an_error_with_the_reason(subs, tmp_path, capsys, monkeypatch, own_graders):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bwrap").write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bin" / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin") + os.pathsep + os.environ["PATH"])
    for workers in ("1", "2"):
        assert grade(subs, tmp_path / "out", "--workers", workers) == 1
        assert "No permissions to create new namespace" in capsys.readouterr().err
    assert not list((tmp_path / "out" / ".grading" / "results").glob("*.json"))


def test_the_progress_bar():
    import io

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    out = Terminal()
    bar = ProgressBar(10, 4, out)
    for _ in range(6):
        bar.step()
    bar.end()
    lines = out.getvalue().replace("\n", "\r").split("\r")
    assert lines[0] == "4 of 10 were already graded."
    assert [line.count("#") for line in lines if line.startswith("[")] == [12, 15, 18, 21, 24, 27, 30]
    assert "6 graded in" in lines[-2]


def test_progress_in_a_file_is_a_line_from_time_to_time(monkeypatch):
    import io

    now = iter(range(0, 10_000, 20))
    monkeypatch.setattr("autodiff_kit.grade.progress_bar.time.monotonic", lambda: float(next(now)))
    out = io.StringIO()
    bar = ProgressBar(40, 0, out)
    for _ in range(5):
        bar.step()
    bar.end()
    assert out.getvalue().splitlines() == [
        "1 of 40, about 26 min left.", "3 of 40, about 16 min left.", "5 of 40, about 14 min left.",
        "5 graded in 2 min.",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("often", [1, 2])
def test_a_sandbox_that_is_lost_is_started_again_once(subs, tmp_path, monkeypatch, often):
    """Its submission is graded in a new sandbox, or is the only one without a grade."""
    (tmp_path / "count").write_bytes(b"x" * often)

    def job_of(one, secret, options):
        job = real(one, secret, options)
        return LosesItsSandbox(**vars(job), count=str(tmp_path / "count")) if one.learner == "bob" else job

    real = batch._grade_job_of
    monkeypatch.setattr(batch, "_grade_job_of", job_of)
    assert grade(subs, tmp_path / "out") == 0
    found = by_name(tmp_path / "out")
    assert (found["bob"].status, found["bob"].score) == (("graded", FULL - LOST) if often == 1 else ("crashed", 0))
    assert ("The sandbox was lost twice" in found["bob"].reason) == (often == 2)
    assert found["eve"].score == 15.0


@pytest.mark.slow
def test_what_the_grader_failed_to_grade_is_tried_again_by_the_same_command(subs, tmp_path, monkeypatch):
    real = batch._grade_job_of

    def job_of(one, *more):
        job = real(one, *more)
        return RaisesOSError(**vars(job)) if one.learner == "ada" else job

    monkeypatch.setattr(batch, "_grade_job_of", job_of)
    assert grade(subs, tmp_path / "out", "--canvas") == 0
    assert '"ada","","","ada","",""' in (tmp_path / "out" / "canvas.csv").read_text(), "0 points would be its own fault"
    assert "No grade yet" in (tmp_path / "out" / "feedback" / "ada.html").read_text()
    lost = by_name(tmp_path / "out")["ada"]
    assert (lost.status, lost.score) == ("crashed", 0)
    assert lost.reason == "The grader could not grade it (OSError). Run the same command again to grade it."
    monkeypatch.setattr(batch, "_grade_job_of", real)
    assert grade(subs, tmp_path / "out") == 0
    assert by_name(tmp_path / "out")["ada"].score == FULL


@pytest.mark.parametrize("order", [("timeout", "graded"), ("graded", "timeout")])
def test_a_question_that_is_graded_again_brings_the_status_of_its_run(tmp_path, monkeypatch, order):
    """A check that was put right left "Time limit" beside full points, and one that then ended answers left "Graded"."""
    one, limits, asked = Submission("ada", LESSON.slug), batch.ResourceLimits(), []
    ends = {"timeout": (0.0, "q5: a function of yours did not end within the time limit."), "graded": (1.0, "")}

    def result(status, others):
        share, reason = ends[status]
        marks = tuple(
            QuestionGrade(q.id, q.points * (share if q.id == "adam-5" else others), q.points, "passed")
            for q in LESSON.questions
        )
        return SubmissionResult("ada", LESSON.slug, status, reason, marks)

    with ResultStore(tmp_path) as store:
        store.save(one, result(order[0], others=1), limits)
        again = result(order[1], others=0)  # the points of the others are kept
        monkeypatch.setattr(
            batch, "_grade_all", lambda jobs, _: [asked.append(job.only) or (job.submission, again) for job in jobs]
        )
        (found,) = batch.grade_batch([one], store, batch.BatchOptions(limits, only="adam-5"))
    assert asked == ["adam-5" if order[0] == "graded" else ""]  # what another question ended shows in a run of all
    assert found == result(order[1], others=1)


def test_a_question_that_the_grader_failed_to_grade_again_is_no_wrong_answer(tmp_path, monkeypatch):
    one = Submission("ada", LESSON.slug)
    marks = tuple(QuestionGrade(q.id, float(q.points), q.points, "passed") for q in LESSON.questions)
    limits = batch.ResourceLimits()
    with ResultStore(tmp_path) as store:
        store.save(one, SubmissionResult("ada", LESSON.slug, "graded", marks=marks), limits)
        monkeypatch.setattr(
            batch, "_grade_all", lambda jobs, _: [(job.submission, job.failed("It was lost.")) for job in jobs]
        )
        (lost,) = batch.grade_batch([one], store, batch.BatchOptions(limits, only="adam-5"))
        assert not lost.could_be_run, "a platform would get the other questions' points as the grade"
        assert store.load(one, limits).score == FULL
