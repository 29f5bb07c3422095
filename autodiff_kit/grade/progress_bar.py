"""The progress of a batch: a bar in one line of a terminal, or a line from time to time in a file."""

from __future__ import annotations

import time
from typing import TextIO

__all__ = ["ProgressBar"]

SECONDS_BETWEEN_LINES = 30


class ProgressBar:
    """Shows how much of a batch is graded, and the time left.

    Parameters
    ----------
    total, done : int
        Number of submissions, and of those that need no grading.
    out : text stream or None
        Stream on which the bar is shown; with None nothing is shown.
    """

    def __init__(self, total: int, done: int, out: TextIO | None) -> None:
        self._total, self._done, self._before, self._out = total, done, done, out
        self._started = self._told = time.monotonic()
        self._is_terminal = out is not None and out.isatty()
        if out is not None and done:
            print(f"{done} of {total} were already graded.", file=out, flush=True)
        self._draw()

    def step(self) -> None:
        """Count one more submission."""
        self._done += 1
        self._draw()

    def end(self) -> None:
        """Replace the bar with a summary."""
        if self._out is None:
            return
        count, took = self._done - self._before, _time_in_words(time.monotonic() - self._started)
        start = "\r" if self._is_terminal else ""
        print(f"{start}{count} graded in {took}.{' ' * 60}".rstrip(), file=self._out)

    def _draw(self) -> None:
        if self._out is None:
            return
        now = time.monotonic()
        rate = (self._done - self._before) / max(now - self._started, 1e-9)
        left = f", about {_time_in_words((self._total - self._done) / rate)} left" if rate else ""
        told = f"{self._done} of {self._total}{left}"
        if self._is_terminal:
            width = 30
            full = width * self._done // max(self._total, 1)
            print(f"\r[{'#' * full}{'.' * (width - full)}] {told}   ", end="", file=self._out, flush=True)
        elif now - self._told >= SECONDS_BETWEEN_LINES:
            self._told = now
            print(f"{told}.", file=self._out, flush=True)


def _time_in_words(seconds: float) -> str:
    """``40 s`` or ``12 min``; a minute and a half is 90 s."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
