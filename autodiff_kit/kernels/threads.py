"""Two threads for what is large: each runs one half of a kernel.

The second thread is one for the whole process, made when it is first needed; where it is taken, or there is only one
core, both halves run one after the other. How many threads there may be is numba's setting: ``NUMBA_NUM_THREADS``, by
default the cores of this process. Importing this module imports numba.
"""

from __future__ import annotations

import os
import queue
import threading

import numba

from autodiff_kit.kernels.native_calls import play, play_freely

__all__ = ["both", "worth"]

LEAST = 10_000_000
"""Operations on single entries from which on a half is longer than waking a thread: about 0.2 ms of one core."""


def worth(operations: int) -> bool:
    """Whether a kernel of so many operations on single entries is to run in two halves."""
    return operations >= LEAST and numba.config.NUMBA_NUM_THREADS > 1  # type: ignore[attr-defined]


class _Job:
    """Units from one address to another, which are to run once."""

    def __init__(self, first: float, last: float) -> None:
        self.first, self.last = first, last
        self.taken = self.done = False


class _Second:
    """A thread that waits for units to run."""

    def __init__(self) -> None:
        self.free = threading.Lock()  # held while somebody uses the thread
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="autodiff_kit second half", daemon=True).start()

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if not job.taken:
                job.taken = True
                play_freely(job.first, job.last)
                job.done = True
                self._ended.put(None)

    def beside(self, first: float, middle: float, last: float) -> None:
        """Run the units from ``middle`` on there and those before it here."""
        job = _Job(middle, last)
        try:
            self._jobs.put(job)
            play_freely(first, middle)
        except BaseException:
            self._jobs.put(job)  # the interrupt may have come before; a job is taken once
            raise
        finally:
            self._wait(job)

    def _wait(self, job: _Job) -> None:
        """Until a job is done; an interrupt waits too, as the memory that is written to is used again."""
        interrupt = None
        while not job.done:
            try:
                self._ended.get(timeout=1.0)  # word of an earlier job may still lie there
            except queue.Empty:
                continue
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


_second: list[_Second] = []
_making = threading.Lock()


def _alone() -> None:
    """A forked process has none of the threads that this one had, one that was making the second among them."""
    global _making
    _second.clear()
    _making = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_alone)


def _the_second() -> _Second:
    with _making:
        if not _second:
            _second.append(_Second())
        return _second[0]


def both(first: float, middle: float, last: float) -> None:
    """Run the units up to ``middle`` here and those from there on in the second thread, and wait for both."""
    second = _second[0] if _second else _the_second()
    if not second.free.acquire(blocking=False):
        play(first, last)
        return
    try:
        second.beside(first, middle, last)
    finally:
        second.free.release()
