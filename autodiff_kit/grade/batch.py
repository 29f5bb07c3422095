"""Grading a batch of submissions: in this process, in several processes, or on the workers of a dask scheduler.

A result depends only on the submission and the secret of the batch, not on the worker that graded it.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

import autodiff_kit
from autodiff_kit.errors import ArgumentError, AutodiffError, StructureError

from .exercise_lookup import find_exercise, find_known_exercise, use_checks
from .grading import grade_submission
from .inside.limits import ResourceLimits
from .progress_bar import ProgressBar
from .result_store import ResultStore
from .results import TRY_AGAIN, QuestionGrade, SubmissionResult
from .sandbox import SandboxError, SubmissionRunner, make_runner
from .submission import Submission

__all__ = ["BatchOptions", "SchedulerError", "grade_batch", "grade_job"]

MAX_TRIES = 2
SCHEDULER_TIMEOUT = 10  # seconds
PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


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
        Address of a dask scheduler; its workers are used instead.
    only : str
        The only question to grade; all if empty.
    checks : str
        Folder with the checks of a teacher's own exercises; every worker must find it under this path.
    """

    limits: ResourceLimits = field(default_factory=ResourceLimits)
    sandbox: bool = True
    workers: int = 1
    scheduler: str = ""
    only: str = ""
    checks: str = ""


@dataclass(frozen=True)
class GradingJob:
    """One submission to be graded, as it is sent to a worker."""

    submission: Submission
    secret: str
    options: BatchOptions


_thread_local = threading.local()


def grade_job(job: GradingJob) -> SubmissionResult:
    """Grade one submission in this thread's sandbox, which is started on first use and restarted if it is lost."""
    use_checks(Path(job.options.checks) if job.options.checks else None)
    for last in (False, True):
        runner = _thread_runner(job.options)  # raises, and so ends the batch, if no sandbox can be started
        try:
            return grade_submission(job.submission, runner, job.secret, _selected_questions(job.options))
        except SandboxError as error:
            _close_thread_runners()
            if last:
                why = str(error).splitlines()[0]
                return _lost_result(job.submission, f"The sandbox was lost twice ({why}).")
        except Exception as error:  # noqa: BLE001 - one submission's failure is never another's
            _close_thread_runners()
            return _lost_result(job.submission, f"The grader could not grade it ({type(error).__name__}).")
    raise AssertionError("one of the tries returns")


def grade_batch(
    submissions: Sequence[Submission], store: ResultStore, options: BatchOptions, out: TextIO | None = None
) -> list[SubmissionResult]:
    """Grade the submissions that have no result in the store yet.

    Parameters
    ----------
    submissions : sequence of Submission
        The submissions, as they were read.
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
        GradingJob(one, store.secret, options if _ran_to_its_end(before[one.key], one) else in_full) for one in todo
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


def _grade_all(jobs: list[GradingJob], options: BatchOptions) -> Iterator[tuple[Submission, SubmissionResult]]:
    if not jobs:
        return iter(())
    if options.scheduler:
        return _grade_on_scheduler(jobs)
    if options.workers == 1 or len(jobs) == 1:
        return _grade_in_this_process(jobs)
    return _grade_in_processes(jobs, options.workers)


def _grade_in_this_process(jobs: Sequence[GradingJob]) -> Iterator[tuple[Submission, SubmissionResult]]:
    try:
        for job in jobs:
            yield job.submission, grade_job(job)
    finally:
        _close_thread_runners()


def _grade_in_processes(jobs: list[GradingJob], workers: int) -> Iterator[tuple[Submission, SubmissionResult]]:
    """Grade in processes of this machine; the submission of a process that was killed is tried again.

    After the first loss there is one worker, which takes the jobs in their order: if it is lost, the first job that is
    left was its own, and nobody else's has to answer for it.
    """
    losses: Counter[str] = Counter()
    while jobs:
        context = multiprocessing.get_context("spawn")
        done: set[str] = set()
        with ProcessPoolExecutor(min(workers, len(jobs)), context, _end_with_parent, (os.getpid(),)) as pool:
            try:
                for job, result in _completed_jobs(pool, jobs):
                    done.add(job.submission.key)
                    yield job.submission, result
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        alone = min(workers, len(jobs)) == 1
        jobs = [job for job in jobs if job.submission.key not in done]
        if jobs and alone:
            first = jobs[0].submission
            losses[first.key] += 1
            if losses[first.key] == MAX_TRIES:
                yield first, _lost_result(first, "The process that graded it was lost twice.")
                jobs = jobs[1:]
        workers = 1


def _end_with_parent(parent: int) -> None:
    """Let the kernel kill this worker when the batch's process ends, however it ends; its sandbox ends with it.

    Ctrl-C, which a terminal sends to all of them, ends it at once: it would go on with the next submission.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before that
        os._exit(1)


def _completed_jobs(
    pool: ProcessPoolExecutor, jobs: Sequence[GradingJob]
) -> Iterator[tuple[GradingJob, SubmissionResult]]:
    """The jobs that ended, with their results; those of a pool whose process was killed are left out."""
    waiting: dict[Future[SubmissionResult], GradingJob] = {}
    with suppress(BrokenProcessPool):  # it may break before it has got all jobs
        for job in jobs:
            waiting[pool.submit(grade_job, job)] = job
    for future in as_completed(waiting):
        if not isinstance(future.exception(), BrokenProcessPool):
            yield waiting[future], future.result()


def _grade_on_scheduler(jobs: Sequence[GradingJob]) -> Iterator[tuple[Submission, SubmissionResult]]:
    """Grade on the workers of a dask scheduler, which reassigns the submissions of a lost worker."""
    try:
        from distributed import Client
        from distributed import as_completed as completed
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise SchedulerError("--scheduler needs dask.distributed: pip install 'autodiff-kit[cluster]'.") from error
    try:
        client: Any = Client(jobs[0].options.scheduler, timeout=SCHEDULER_TIMEOUT)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise SchedulerError(
            f"There is no response from a scheduler at {jobs[0].options.scheduler} ({error})."
        ) from error
    with client:
        _check_versions(client)
        waiting = {client.submit(grade_job, job, pure=False, retries=1): job for job in jobs}
        for future in completed(list(waiting)):  # type: ignore[no-untyped-call]
            job = waiting.pop(future)
            try:
                result = future.result()
            except KilledWorker:
                result = _lost_result(job.submission, "The workers that graded it were lost.")
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


def _thread_runner(options: BatchOptions) -> SubmissionRunner:
    known: dict[tuple[Any, ...], SubmissionRunner] = _thread_local.__dict__.setdefault("rooms", {})
    key = (options.limits, options.sandbox)
    if key not in known:
        known[key] = make_runner(options.limits, sandbox=options.sandbox)
    return known[key]


def _close_thread_runners() -> None:
    for one in _thread_local.__dict__.pop("rooms", {}).values():
        one.close()


def _selected_questions(options: BatchOptions) -> tuple[str, ...]:
    return (options.only,) if options.only else ()


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


def _lost_result(submission: Submission, why: str) -> SubmissionResult:
    """The result of a submission that the grader failed to grade."""
    reason = f"{why} {TRY_AGAIN}"
    questions = find_exercise(submission.exercise).questions if submission.exercise else ()
    marks = tuple(QuestionGrade(question.id, 0.0, question.points, "error", reason) for question in questions)
    return SubmissionResult(
        submission.learner, submission.exercise, "crashed", reason, marks, submission.submitted,
        stamp=submission.stamp, sha256=submission.sha256, remarks=submission.remarks,
        platform_id=submission.platform_id,
    )  # fmt: skip
