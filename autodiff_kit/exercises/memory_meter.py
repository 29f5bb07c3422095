"""Measures how much memory a learner's function needs at its peak."""

from __future__ import annotations

import tracemalloc

__all__ = ["Peak"]


class Peak:
    """Looks on while a block runs; arrays of NumPy are counted, since it tells of them.

    Parameters
    ----------
    wanted : bool
        Nothing is looked at otherwise.

    Attributes
    ----------
    nbytes : int
        The most bytes that stood at once, above those from before the block.
    """

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._began = False
        self._before = 0
        self.nbytes = 0

    def __enter__(self) -> Peak:
        if self._wanted:
            self._began = not tracemalloc.is_tracing()
            if self._began:
                tracemalloc.start()
            tracemalloc.reset_peak()
            self._before = tracemalloc.get_traced_memory()[0]
        return self

    def __exit__(self, *_: object) -> None:
        if self._wanted:
            self.nbytes = max(0, tracemalloc.get_traced_memory()[1] - self._before)
            if self._began:
                tracemalloc.stop()
