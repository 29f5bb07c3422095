"""Two threads for what is large: each runs one half of a kernel.

The second thread is one for the whole process, made when it is first needed; where it is taken, or there is only one
core, both halves run one after the other. How many threads there may be is numba's setting: ``NUMBA_NUM_THREADS``, by
default the cores of this process. Importing this module imports numba.
"""

from __future__ import annotations

import os
import threading

import numba

from autodiff_kit.kernels.native import play, play_freely

__all__ = ["both", "worth"]

LEAST = 10_000_000
"""Operations on single entries from which on a half is longer than waking a thread: about 0.2 ms of one core."""


def worth(operations: int) -> bool:
    """Whether a kernel of so many operations on single entries is to run in two halves."""
    return operations >= LEAST and numba.config.NUMBA_NUM_THREADS > 1  # type: ignore[attr-defined]


class _Second:
    """A thread that waits for units to run."""

    def __init__(self) -> None:
        self.free = threading.Lock()  # held while somebody uses the thread
        self._start, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self._units = (0.0, 0.0)
        threading.Thread(target=self._work, name="autodiff_kit second half", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._start.acquire()
            play_freely(*self._units)
            self._done.release()

    def begin(self, first: float, last: float) -> None:
        """Run the units from one address to another."""
        self._units = first, last
        self._start.release()

    def wait(self) -> None:
        """Until they have run; an interrupt waits too, as the memory that they write to is used again."""
        interrupt = None
        while True:
            try:
                self._done.acquire()
                break
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
        second.begin(middle, last)
        try:
            play_freely(first, middle)
        finally:
            second.wait()
    finally:
        second.free.release()
