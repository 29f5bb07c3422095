"""Grading a batch of submissions, in processes of this machine or on the workers of a dask scheduler.

A result depends only on the submission and the secret of the batch, not on the process that graded it. What learners
handed in is read and graded in grader's processes (:mod:`.graders`); this one has facts, results and fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

import autodiff_kit
from autodiff_kit.errors import ArgumentError, AutodiffError, StructureError

from .exercise_lookup import checks_folder, find_exercise, find_known_exercise
from .grader_jobs import GradeJob, ReadJob
from .graders import GRADERS
from .inside.limits import ResourceLimits
from .progress_bar import ProgressBar
from .result_store import ResultStore
from .results import SubmissionResult
from .sandbox import SandboxError
from .submission import Submission
from .submission_discovery import find_hand_ins

__all__ = ["BatchOptions", "SchedulerError", "collect_submissions", "grade_batch", "grade_job"]

SCHEDULER_TIMEOUT = 10  # seconds


class SchedulerError(AutodiffError, RuntimeError):
    """The dask scheduler cannot be used; the message says why."""


@dataclass(frozen=True)
class BatchOptions:
    """Options of a batch.

    Attributes
    ----------
    limits : ResourceLimits
        Limits of each submission.
    sandbox : bool
        Whether a sandbox is required.
    workers : int
        Number of processes on this machine.
    scheduler : str
        Address of a dask scheduler; its workers are used instead. They must find the files and the checks under the
        same paths.
    only : str
        The only question to grade; all if empty.
    checks : str
        Folder with the checks of a teacher's own exercises.
    """

    limits: ResourceLimits = field(default_factory=ResourceLimits)
    sandbox: bool = True
    workers: int = 1
    scheduler: str = ""
    only: str = ""
    checks: str = ""


def collect_submissions(
    places: Sequence[Path],
    exercise: str = "",
    *,
    noted_times: bool = False,
    platform_names: bool = False,
    out: Path | None = None,
    one_learner: bool = False,
    workers: int = 1,
) -> list[Submission]:
    """Read all submissions in some files and folders, each learner's in a process of its own.

    Parameters
    ----------
    places : sequence of Path
        Notebooks, bundles, folders of them, folders with a folder or a cloned repository for each learner.
    exercise : str, optional
        Slug or number of the exercise; by default as each notebook's metadata says.
    noted_times : bool, optional
        Take times from ``timestamp.txt`` (see :func:`~.submission_reader.read_submission`).
    platform_names : bool, optional
        Read the names as those of a download from Canvas or Moodle (see :func:`~.roster.platform_learner`).
    out : Path, optional
        The folder for grades; where it lies among the submissions it is no learner's.
    one_learner : bool, optional
        Whether all of it is one learner's.
    workers : int, optional
        Number of processes.

    Returns
    -------
    list of Submission
        Their facts, sorted by learner and exercise; of several submissions for the same exercise the last one that can
        be read and has to do with it.

    Raises
    ------
    StructureError
        If the exercise is not known, or the teacher's checks cannot be loaded.
    FileError
        If a path does not exist.
    """
    hand_ins = find_hand_ins(places, exercise, platform_names=platform_names, out=out, one_learner=one_learner)
    seen: set[str] = set()
    jobs = [ReadJob(one, exercise, noted_times, checks_folder(), seen) for one in hand_ins]
    found = [one for _, own in GRADERS.map(jobs, workers) for one in own]
    return sorted(found, key=lambda one: (one.learner, one.exercise))


def grade_job(job: GradeJob) -> SubmissionResult:
    """Grade one submission in a process of this machine; on a cluster, what a worker does."""
    result: SubmissionResult = GRADERS.run(job)
    return result


def grade_batch(
    submissions: Sequence[Submission], store: ResultStore, options: BatchOptions, out: TextIO | None = None
) -> list[SubmissionResult]:
    """Grade the submissions that have no result in the store yet.

    Parameters
    ----------
    submissions : sequence of Submission
        The facts of the submissions.
    store : ResultStore
        Receives the results. A submission with a result is graded again only if ``options.only`` is set; one without a
        result is graded in full even then.
    options : BatchOptions
        Options of the batch.
    out : text stream, optional
        Stream for the progress bar.

    Returns
    -------
    list of SubmissionResult
        One for each submission, in their order.

    Raises
    ------
    SandboxError
        If a sandbox is required and cannot be started; no notebook was run then.
    """
    if options.workers < 1:
        raise ArgumentError(f"--workers must be 1 or more, got {options.workers}.")
    if options.only and not any(_has_question(one, options.only) for one in submissions):
        raise StructureError(f"--regrade must name a question of these exercises, such as jvp-1; got {options.only!r}.")
    before = {one.key: _still_valid(store.load(one, options.limits)) for one in submissions}
    todo = [
        one for one in submissions if before[one.key] is None or (options.only and _has_question(one, options.only))
    ]
    results = {key: result for key, result in before.items() if result is not None}
    progress = ProgressBar(len(submissions), len(submissions) - len(todo), out)
    in_full = replace(options, only="")
    jobs = [
        _grade_job_of(one, store.secret, options if _ran_to_its_end(before[one.key], one) else in_full) for one in todo
    ]
    for one, graded in _grade_all(jobs, options):
        earlier = before[one.key]
        result = graded if earlier is None or graded.was_lost else _merge_results(earlier, graded, options.only)
        if not graded.was_lost:
            store.save(one, result, options.limits)
        results[one.key] = result
        progress.step()
    progress.end()
    return [results[one.key] for one in submissions]


def _grade_job_of(one: Submission, secret: str, options: BatchOptions) -> GradeJob:
    return GradeJob(one, secret, options.limits, options.sandbox, options.only, options.checks)


def _grade_all(jobs: Sequence[GradeJob], options: BatchOptions) -> Iterator[tuple[Submission, SubmissionResult]]:
    if options.scheduler and jobs:
        yield from _grade_on_scheduler(jobs, options.scheduler)
        return
    for place, result in GRADERS.map(jobs, options.workers):
        yield jobs[place].submission, result


def _grade_on_scheduler(jobs: Sequence[GradeJob], address: str) -> Iterator[tuple[Submission, SubmissionResult]]:
    """Grade on the workers of a dask scheduler, which reassigns the submissions of a lost worker."""
    try:
        from distributed import Client
        from distributed import as_completed as completed
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise SchedulerError("--scheduler needs dask.distributed: pip install 'autodiff-kit[cluster]'.") from error
    try:
        client: Any = Client(address, timeout=SCHEDULER_TIMEOUT)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise SchedulerError(f"There is no response from a scheduler at {address} ({error}).") from error
    with client:
        _check_versions(client)
        waiting = {client.submit(grade_job, job, pure=False, retries=1): job for job in jobs}
        for future in completed(list(waiting)):  # type: ignore[no-untyped-call]
            job = waiting.pop(future)
            try:
                result = future.result()
            except KilledWorker:
                result = job.failed("The workers that graded it were lost.")
            except SandboxError as error:
                raise SandboxError(f"A worker has no sandbox: {error}") from error
            future.release()  # a result that is still held is graded again when its worker is lost
            yield job.submission, result


def _check_versions(client: Any) -> None:
    """Raise if a worker has another version of the kit, because results could differ."""
    versions = set(client.run(_installed_version).values())
    if versions - {autodiff_kit.__version__}:
        raise SchedulerError(
            f"The workers have autodiff_kit {', '.join(sorted(versions))}, but this machine has "
            f"{autodiff_kit.__version__}. Install the same version everywhere."
        )


def _installed_version() -> str:
    return autodiff_kit.__version__


def _has_question(submission: Submission, question: str) -> bool:
    if not submission.exercise:
        return False
    return any(found.id == question for found in find_exercise(submission.exercise).questions)


def _still_valid(earlier: SubmissionResult | None) -> SubmissionResult | None:
    """An earlier result; None if its exercise has other questions or points since: totals could not be compared."""
    if earlier is None or not earlier.marks or not earlier.exercise:
        return earlier
    exercise = find_known_exercise(earlier.exercise)
    worth = {question.id: question.points for question in exercise.questions} if exercise else {}
    return earlier if earlier.max_points == worth else None


def _ran_to_its_end(earlier: SubmissionResult | None, submission: Submission) -> bool:
    """Whether an earlier run found no more reasons than reading did; else only a run of all tells the new status."""
    return earlier is not None and earlier.reason == submission.reason


def _merge_results(earlier: SubmissionResult, regraded: SubmissionResult, question: str) -> SubmissionResult:
    """The earlier result with the new grade of a question, and with the status of the new run."""
    fresh = {mark.question: mark for mark in regraded.marks if mark.question == question}
    marks = tuple(fresh.get(mark.question, mark) for mark in earlier.marks)
    return replace(earlier, marks=marks, status=regraded.status, reason=regraded.reason)
