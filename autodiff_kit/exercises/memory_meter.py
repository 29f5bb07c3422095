"""Measure the peak memory of a learner's function with tracemalloc."""

from __future__ import annotations

import tracemalloc

__all__ = ["PeakMemoryMeter"]


class PeakMemoryMeter:
    """Context manager that measures the peak memory of a block; NumPy reports its arrays to tracemalloc.

    Parameters
    ----------
    wanted : bool
        Whether to measure at all.

    Attributes
    ----------
    nbytes : int
        The most bytes allocated at one time, without those from before the block.
    """

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._began = False
        self._before = 0
        self.nbytes = 0

    def __enter__(self) -> PeakMemoryMeter:
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
