"""Many submissions: on some workers of this machine, or on those of a dask scheduler.

Results depend on the submission and the secret alone, so it does not matter which worker grades what.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

import autodiff_kit
from autodiff_kit.errors import ArgumentError, AutodiffError, StructureError

from .grading import grade_submission
from .result_store import Store
from .results import Mark, Result
from .sandbox import Box, BoxError, Limits, OpenRoom, room
from .submission import Submission, named_lesson

__all__ = ["Plan", "SchedulerError", "grade_batch", "grade_one"]

TRIES = 2
ANSWERS_WITHIN = 10  # seconds, for a scheduler


class SchedulerError(AutodiffError, RuntimeError):
    """The dask scheduler cannot be used; the message says why."""


@dataclass(frozen=True)
class Plan:
    """How a batch is graded.

    Attributes
    ----------
    limits : Limits
        For each submission.
    sandbox : bool
        Whether a box is insisted on.
    workers : int
        Processes on this machine.
    scheduler : str
        Address of a dask scheduler; its workers are used instead.
    only : str
        The one question to grade; all, if empty.
    """

    limits: Limits = field(default_factory=Limits)
    sandbox: bool = True
    workers: int = 1
    scheduler: str = ""
    only: str = ""


@dataclass(frozen=True)
class _Order:
    """What a worker is sent."""

    submission: Submission
    secret: str
    plan: Plan


_here = threading.local()


def grade_one(order: _Order) -> Result:
    """Grade one submission in this thread's box, which is started on first use and again if it is lost."""
    for last in (False, True):
        place = _room(order.plan)  # where no box can be had, the batch ends here
        try:
            return grade_submission(order.submission, place, order.secret, _only(order.plan))
        except BoxError as error:
            _close_room()
            if last:
                why = str(error).splitlines()[0]
                return _lost(order.submission, f"The box itself was lost twice ({why})")
    raise AssertionError("one of the tries returns")


def grade_batch(submissions: Sequence[Submission], store: Store, plan: Plan, out: TextIO | None = None) -> list[Result]:
    """Grade what has not been graded into the store yet.

    Parameters
    ----------
    submissions : sequence of Submission
        As they were read.
    store : Store
        Where results are kept; one that is there already is not graded again, unless a single question is.
    plan : Plan
        How.
    out : text stream, optional
        Where progress is shown.

    Returns
    -------
    list of Result
        One for each submission, in their order.

    Raises
    ------
    BoxError
        If a box is insisted on and cannot be had; nothing was run then.
    """
    if plan.workers < 1:
        raise ArgumentError(f"--workers takes a number from 1; got {plan.workers}.")
    if plan.only and not any(_has(one, plan.only) for one in submissions):
        raise StructureError(f"--regrade names a question of these exercises, such as jvp-1; got {plan.only!r}.")
    before = {one.key: store.found(one) for one in submissions}
    todo = [one for one in submissions if before[one.key] is None or (plan.only and _has(one, plan.only))]
    results = {key: result for key, result in before.items() if result is not None}
    bar = Bar(len(submissions), len(submissions) - len(todo), out)
    for one, graded in _graded(todo, store.secret, plan):
        earlier = before[one.key]
        result = _merged(earlier, graded) if plan.only and earlier is not None else graded
        store.keep(one, result)
        results[one.key] = result
        bar.step()
    bar.end()
    return [results[one.key] for one in submissions]


def _graded(todo: Sequence[Submission], secret: str, plan: Plan) -> Iterator[tuple[Submission, Result]]:
    orders = [_Order(one, secret, plan) for one in todo]
    if not orders:
        return iter(())
    if plan.scheduler:
        return _on_scheduler(orders)
    if plan.workers == 1 or len(orders) == 1:
        return _in_this_process(orders)
    return _on_processes(orders, plan.workers)


def _in_this_process(orders: Sequence[_Order]) -> Iterator[tuple[Submission, Result]]:
    try:
        for order in orders:
            yield order.submission, grade_one(order)
    finally:
        _close_room()


def _on_processes(orders: list[_Order], workers: int) -> Iterator[tuple[Submission, Result]]:
    """Grade on processes of this machine; what a killed one had in hand is graded again once."""
    tries: dict[str, int] = {}
    while orders:
        context = multiprocessing.get_context("spawn")
        done: set[str] = set()
        with ProcessPoolExecutor(min(workers, len(orders)), mp_context=context) as pool:
            try:
                for order, result in _completed(pool, orders):
                    done.add(order.submission.key)
                    yield order.submission, result
            except BrokenProcessPool:
                pass
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        orders = [order for order in orders if order.submission.key not in done]
        for order in orders:
            tries[order.submission.key] = tries.get(order.submission.key, 0) + 1
        # With one worker for the second try, only the submission that is to blame can be hit again.
        for order in [order for order in orders if tries[order.submission.key] > TRIES]:
            yield order.submission, _lost(order.submission, "Its grader's process was lost again and again.")
            orders.remove(order)
        workers = 1 if orders else workers


def _completed(pool: ProcessPoolExecutor, orders: Sequence[_Order]) -> Iterator[tuple[_Order, Result]]:
    waiting: dict[Future[Result], _Order] = {pool.submit(grade_one, order): order for order in orders}
    for future in as_completed(waiting):
        yield waiting[future], future.result()


def _on_scheduler(orders: Sequence[_Order]) -> Iterator[tuple[Submission, Result]]:
    """Grade on the workers of a dask scheduler; it hands a lost worker's submissions to others."""
    try:
        from distributed import Client
        from distributed import as_completed as completed
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise SchedulerError("--scheduler needs dask.distributed: pip install 'autodiff-kit[cluster]'.") from error
    try:
        client: Any = Client(orders[0].plan.scheduler, timeout=ANSWERS_WITHIN)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise SchedulerError(f"No scheduler answers at {orders[0].plan.scheduler} ({error}).") from error
    with client:
        _same_kit(client)
        waiting = {client.submit(grade_one, order, pure=False, retries=1): order for order in orders}
        for future in completed(waiting):  # type: ignore[no-untyped-call]
            order = waiting[future]
            try:
                result = future.result()
            except KilledWorker:
                result = _lost(order.submission, "Its grader's worker was lost again and again.")
            except BoxError as error:
                raise BoxError(f"A worker has no box: {error}") from error
            yield order.submission, result


def _same_kit(client: Any) -> None:
    """Refuse workers with another version of the kit: their results could differ."""
    versions = set(client.run(_version).values())
    if versions - {autodiff_kit.__version__}:
        raise SchedulerError(
            f"Workers have autodiff_kit {', '.join(sorted(versions))}, and this machine {autodiff_kit.__version__}. "
            "Install one version everywhere."
        )


def _version() -> str:
    return autodiff_kit.__version__


def _room(plan: Plan) -> Box | OpenRoom:
    known: dict[tuple[Any, ...], Box | OpenRoom] = _here.__dict__.setdefault("rooms", {})
    key = (plan.limits, plan.sandbox)
    if key not in known:
        known[key] = room(plan.limits, sandbox=plan.sandbox)
    return known[key]


def _close_room() -> None:
    for one in _here.__dict__.pop("rooms", {}).values():
        one.close()


def _only(plan: Plan) -> tuple[str, ...]:
    return (plan.only,) if plan.only else ()


def _has(submission: Submission, question: str) -> bool:
    if not submission.exercise:
        return False
    return any(found.id == question for found in named_lesson(submission.exercise).questions)


def _merged(earlier: Result, anew: Result) -> Result:
    """An earlier result with the marks that were made anew."""
    fresh = {mark.question: mark for mark in anew.marks}
    marks = tuple(fresh.get(mark.question, mark) for mark in earlier.marks)
    return replace(earlier, marks=marks)


def _lost(submission: Submission, reason: str) -> Result:
    questions = named_lesson(submission.exercise).questions if submission.exercise else ()
    marks = tuple(Mark(question.id, 0.0, question.points, "error", reason) for question in questions)
    return Result(
        submission.learner, submission.exercise, "crashed", reason, marks, submission.submitted,
        stamp=submission.stamp, sha256=submission.sha256, remarks=submission.remarks,
    )  # fmt: skip


class Bar:
    """One line that fills while a batch is graded.

    Parameters
    ----------
    total, done : int
        Submissions in all, and those that need no grading.
    out : text stream or None
        Where to; nothing is shown if None.
    """

    def __init__(self, total: int, done: int, out: TextIO | None) -> None:
        self._total, self._done, self._before, self._out = total, done, done, out
        self._began = time.monotonic()
        self._live = out is not None and out.isatty()
        if out is not None and done:
            print(f"{done} of {total} were graded before.", file=out)
        self._draw()

    def step(self) -> None:
        """One more."""
        self._done += 1
        self._draw()

    def end(self) -> None:
        """All are done."""
        if self._out is None:
            return
        seconds, count = time.monotonic() - self._began, self._done - self._before
        rate = f", {count / seconds:.1f} a second" if count and seconds > 0 else ""
        start = "\r" if self._live else ""
        print(f"{start}{count} graded in {seconds:.1f} s{rate}.{' ' * 40}".rstrip(), file=self._out)

    def _draw(self) -> None:
        if not self._live or self._out is None:
            return
        width = 30
        full = width * self._done // max(self._total, 1)
        rate = (self._done - self._before) / max(time.monotonic() - self._began, 1e-9)
        left = f", {(self._total - self._done) / rate:.0f} s left" if rate else ""
        words = f"\r[{'#' * full}{'.' * (width - full)}] {self._done} of {self._total}{left}   "
        print(words, end="", file=self._out, flush=True)
