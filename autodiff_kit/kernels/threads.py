"""Run two halves of a large kernel in two threads.

The helper thread is created once for the process. If it is in use, or there is only one core, both halves run one after
the other. The number of threads is numba's setting: ``NUMBA_NUM_THREADS``, by default the cores of this process.
Importing this module imports numba.
"""

from __future__ import annotations

import os
import queue
import threading

import numba

from autodiff_kit.kernels.native_calls import run_units, run_units_nogil

__all__ = ["is_worth_splitting", "run_in_two_threads"]

MIN_OPERATIONS = 10_000_000
"""The number of scalar operations above which a half takes longer than waking a thread: about 0.2 ms of one core."""


def is_worth_splitting(operations: int) -> bool:
    """Whether a kernel of so many scalar operations should be split into two halves."""
    return operations >= MIN_OPERATIONS and numba.config.NUMBA_NUM_THREADS > 1  # type: ignore[attr-defined]


class _UnitRange:
    """A range of units in a table, to be run once."""

    def __init__(self, first: float, last: float) -> None:
        self.first, self.last = first, last
        self.taken = self.done = False


class _HelperThread:
    """A thread that runs ranges of units from a queue."""

    def __init__(self) -> None:
        self.in_use = threading.Lock()  # locked while a caller uses the thread
        self._jobs: queue.SimpleQueue[_UnitRange] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="autodiff_kit kernel helper", daemon=True).start()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if not job.taken:
                job.taken = True
                run_units_nogil(job.first, job.last)
                job.done = True
                self._ended.put(None)

    def run_with_helper(self, first: float, middle: float, last: float) -> None:
        """Run the units from ``middle`` in the helper and those before it in the calling thread."""
        job = _UnitRange(middle, last)
        try:
            self._jobs.put(job)
            run_units_nogil(first, middle)
        except BaseException:
            self._jobs.put(job)  # the interrupt may have come first; a range runs once
            raise
        finally:
            self._wait(job)

    def _wait(self, job: _UnitRange) -> None:
        """Wait until a range is done; an interrupt is raised afterwards, since the memory will be reused."""
        interrupt = None
        while not job.done:
            try:
                self._ended.get(timeout=1.0)  # may come from an earlier range
            except queue.Empty:
                continue
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


_helpers: list[_HelperThread] = []
_creation_lock = threading.Lock()


def _forget_threads_after_fork() -> None:
    """A forked process has no helper thread, and a thread that no longer exists may hold the lock."""
    global _creation_lock
    _helpers.clear()
    _creation_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads_after_fork)


def _get_helper() -> _HelperThread:
    with _creation_lock:
        if not _helpers:
            _helpers.append(_HelperThread())
        return _helpers[0]


def run_in_two_threads(first: float, middle: float, last: float) -> None:
    """Run the units before ``middle`` here and the others in the helper thread, and wait for both."""
    helper = _helpers[0] if _helpers else _get_helper()
    if not helper.in_use.acquire(blocking=False):
        run_units(first, last)
        return
    try:
        helper.run_with_helper(first, middle, last)
    finally:
        helper.in_use.release()
