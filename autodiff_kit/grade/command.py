"""``autodiff-kit grade``: its options, and the steps from submissions to grades and reports.

Adding the command to the argument parser imports nothing of the grader.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from autodiff_kit.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from .lms_export import Enrolment
    from .results import SubmissionResult
    from .roster import Roster

__all__ = ["add_grade_command"]


def add_grade_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the ``grade`` command to the argument parser."""
    grade = commands.add_parser(
        "grade",
        help="grade submitted notebooks, each in a sandbox",
        epilog="Grading that was stopped continues if the same command is run again.",
    )
    grade.add_argument(
        "submissions", nargs="+", type=Path, metavar="SUBMISSIONS",
        help="notebooks (<learner>.ipynb), hand-in bundles (.zip), folders of them, or a folder for each learner",
    )  # fmt: skip
    grade.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for grades and feedback")
    grade.add_argument("--exercise", default="", metavar="NAME", help="slug or number (default: as each notebook says)")
    grade.add_argument(
        "--checks", type=Path, metavar="FOLDER",
        help="checks of an exercise of your own: the folder `grading` that `autodiff-kit author build` wrote",
    )  # fmt: skip
    where = grade.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="default: one for each processor"
    )
    where.add_argument("--scheduler", default="", metavar="tcp://…", help="address of a dask scheduler with workers")
    grade.add_argument(
        "--seed", type=int, metavar="N", help="replaces the secret in DIR, to repeat the random draws elsewhere"
    )
    grade.add_argument("--regrade", default="", metavar="QUESTION", help="grade this question again, keep the others")
    _add_gradebook_options(grade)
    _add_late_options(grade)
    _add_limit_options(grade)
    grade.add_argument(
        "--unsafe-no-sandbox", action="store_true", help="run notebooks without a sandbox, with all your rights"
    )
    grade.set_defaults(run=_run_grade)


def _add_gradebook_options(grade: argparse.ArgumentParser) -> None:
    books = grade.add_argument_group("gradebooks")
    books.add_argument(
        "--gradebook", default="", metavar="URL", help="nbgrader's gradebook: a file, or postgresql://user@host/course"
    )
    books.add_argument("--canvas", action="store_true", help="also write canvas.csv, for Canvas' import of grades")
    books.add_argument("--moodle", action="store_true", help="also write moodle.csv, for Moodle's import of grades")
    books.add_argument(
        "--roster", type=Path, metavar="FILE",
        help="the export of Canvas' gradebook or a Moodle assignment's grading worksheet: every enrolled learner gets "
        "a line in canvas.csv or moodle.csv, strangers are named",
    )  # fmt: skip
    books.add_argument(
        "--column", default="", metavar="TITLE",
        help="the assignment's column in Canvas, such as \"Adam's slots (81234)\", or in Moodle's worksheet",
    )  # fmt: skip


def _add_late_options(grade: argparse.ArgumentParser) -> None:
    late = grade.add_argument_group("late work")
    late.add_argument("--due", default="", metavar="TIME", help="such as 2026-11-30T23:59+01:00 (without a zone: UTC)")
    late.add_argument("--grace", type=float, default=0.0, metavar="MINUTES", help="not counted as late (default: 0)")
    late.add_argument(
        "--timestamps",
        action="store_true",
        help="take the time from nbgrader's timestamp.txt beside a notebook, not from the file; only for folders in "
        "which learners cannot write",
    )
    late.add_argument(
        "--late-per-day", type=float, default=0.0, metavar="PERCENT", help="of the points, for each day begun"
    )
    late.add_argument("--late-most", type=float, default=100.0, metavar="PERCENT", help="at most (default: 100)")


def _add_limit_options(grade: argparse.ArgumentParser) -> None:
    limits = grade.add_argument_group("limits for each submission")
    limits.add_argument("--cpu", type=float, default=20.0, metavar="SECONDS", help="of computing (default: 20)")
    limits.add_argument(
        "--wall", type=float, default=60.0, metavar="SECONDS",
        help="cells, each question; three times as much for one run, after which none begins (default: 60)",
    )  # fmt: skip
    limits.add_argument("--memory", type=int, default=1024, metavar="MB", help="of all its processes (default: 1024)")


def _run_grade(options: argparse.Namespace) -> int:
    from .graders import GRADERS

    try:
        return _grade(options)
    except KeyboardInterrupt:
        print("\nStopped. The results so far are kept; run the same command again to continue.", file=sys.stderr)
        return 1
    finally:
        GRADERS.close()


def _grade(options: argparse.Namespace) -> int:
    from autodiff_kit.lessons.atomic_files import write_atomically

    from .batch import BatchOptions, collect_submissions, grade_batch
    from .csv_table import grades_csv
    from .exercise_lookup import require_all_checks, use_checks
    from .inside.limits import ResourceLimits
    from .late_policy import LatePolicy
    from .lms_export import match_roster
    from .logins import remark_logins, with_logins
    from .reports import remove_old_pages, write_reports
    from .result_store import ResultStore
    from .results import write_results
    from .roster import read_roster
    from .similarity import similar_groups

    if options.column and not (options.roster or options.canvas or options.moodle):
        raise ArgumentError("--column names a column of a platform's file. Add --roster FILE, --canvas or --moodle.")
    policy = LatePolicy(options.due, options.grace, options.late_per_day, options.late_most)
    checks = options.checks.resolve() if options.checks else None
    if checks and not checks.is_dir():
        raise FileError(
            f"{checks} is no folder. Give --checks the folder `grading` that `autodiff-kit author build` wrote."
        )
    use_checks(checks)
    roster = read_roster(options.roster) if options.roster else None
    platform_names = bool(options.canvas or options.moodle or roster)
    collected = collect_submissions(
        options.submissions, options.exercise, noted_times=options.timestamps, platform_names=platform_names,
        out=options.out, workers=options.workers,
    )  # fmt: skip
    require_all_checks({one.exercise for one in collected} - {""})
    submissions = with_logins(collected, roster)
    if not options.timestamps:
        policy.require_different_times(submissions)
    _check_limits(options)
    limits = ResourceLimits(cpu=options.cpu, wall=options.wall, memory=options.memory << 20)
    batch = BatchOptions(
        limits, not options.unsafe_no_sandbox, options.workers, options.scheduler, options.regrade, str(checks or "")
    )
    try:
        with ResultStore(options.out, options.seed) as store:
            graded = remark_logins(grade_batch(submissions, store, batch, sys.stderr), submissions, roster)
            results = _with_remarks([policy.apply_to(result) for result in graded], roster, options.column)
            remove_old_pages(options.out, results)
            write_results(options.out / "results.jsonl", results)
            enrolment = match_roster(results, roster) if roster else None
            table = grades_csv(results, options.due, enrolment.parted_names if enrolment else {})
            write_atomically(options.out / "grades.csv", table.encode("utf-8", "replace"))
            write_reports(options.out, results, similar_groups(submissions), enrolment, timed=bool(options.due))
            _export_grades(options, results, roster)
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            f"The grades cannot be written to {options.out} ({error}). The results so far are kept: make room, and run "
            "the same command again to continue."
        ) from error
    print(_summary_line(options.out, len(results), sum(result.status != "graded" for result in results)))
    if enrolment is not None:
        print(_enrolment_line(enrolment))
    return 0


def _with_remarks(results: list[SubmissionResult], roster: Roster | None, column: str) -> list[SubmissionResult]:
    """The results with remarks for the teacher who fills in an assignment: whose lines they share, what counts."""
    from .assignment import remark_other_exercises, remark_shared_rows

    one_assignment = column or (roster and roster.platform == "moodle")
    found = remark_other_exercises(results) if one_assignment else results
    return remark_shared_rows(found, roster) if roster else found


def _export_grades(options: argparse.Namespace, results: list[SubmissionResult], roster: Roster | None) -> None:
    """Write the grades for Canvas, Moodle and nbgrader, according to the options and the roster's platform."""
    from autodiff_kit.lessons.atomic_files import write_atomically

    from .lms_export import canvas_csv, moodle_csv
    from .nbgrader_gradebook import write_gradebook

    platform = roster.platform if roster else ""
    if options.canvas or platform == "canvas":
        text = canvas_csv(results, roster if platform == "canvas" else None, options.column)
        write_atomically(options.out / "canvas.csv", text.encode("utf-8", "replace"))
    if options.moodle or platform == "moodle":
        text = moodle_csv(results, roster if platform == "moodle" else None, options.column)
        write_atomically(options.out / "moodle.csv", text.encode("utf-8", "replace"))
    if options.gradebook:
        write_gradebook(options.gradebook, results, options.due)


def _check_limits(options: argparse.Namespace) -> None:
    """Raise if a limit is too small for any notebook."""
    least = {"cpu": 1.0, "wall": 1.0, "memory": 128}
    for name, most in least.items():
        given = getattr(options, name)
        if not most <= given < 1e6:
            raise ArgumentError(f"--{name} must be {most:g} or more, got {given:g}.")


def _summary_line(out: Path, count: int, odd: int) -> str:
    look = f" {odd} could not be graded in full: see {out / 'report.html'}." if odd else ""
    return f"{count} submission{'s' * (count != 1)}: {out / 'grades.csv'}, {out / 'feedback'}.{look}"


def _enrolment_line(enrolment: Enrolment) -> str:
    strangers, missing = len(enrolment.strangers), len(enrolment.missing)
    fit = "1 submission fits" if strangers == 1 else f"{strangers} submissions fit"
    return f"Of the roster {missing} handed in nothing; {fit} nobody in it. The report names them."
