"""A progress bar in one line of a terminal."""

from __future__ import annotations

import time
from typing import TextIO

__all__ = ["ProgressBar"]


class ProgressBar:
    """Shows how much of a batch is graded, the rate, and the time left.

    Parameters
    ----------
    total, done : int
        Number of submissions, and of those that need no grading.
    out : text stream or None
        Stream on which the bar is shown; with None nothing is shown.
    """

    def __init__(self, total: int, done: int, out: TextIO | None) -> None:
        self._total, self._done, self._before, self._out = total, done, done, out
        self._started = time.monotonic()
        self._is_terminal = out is not None and out.isatty()
        if out is not None and done:
            print(f"{done} of {total} were already graded.", file=out)
        self._draw()

    def step(self) -> None:
        """Count one more submission."""
        self._done += 1
        self._draw()

    def end(self) -> None:
        """Replace the bar with a summary."""
        if self._out is None:
            return
        seconds, count = time.monotonic() - self._started, self._done - self._before
        rate = f", {count / seconds:.1f} a second" if count and seconds > 0 else ""
        start = "\r" if self._is_terminal else ""
        print(f"{start}{count} graded in {seconds:.1f} s{rate}.{' ' * 40}".rstrip(), file=self._out)

    def _draw(self) -> None:
        if not self._is_terminal or self._out is None:
            return
        width = 30
        full = width * self._done // max(self._total, 1)
        rate = (self._done - self._before) / max(time.monotonic() - self._started, 1e-9)
        left = f", {(self._total - self._done) / rate:.0f} s left" if rate else ""
        words = f"\r[{'#' * full}{'.' * (width - full)}] {self._done} of {self._total}{left}   "
        print(words, end="", file=self._out, flush=True)
