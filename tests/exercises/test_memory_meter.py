"""The peak memory of a call, as a check can measure it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from autodiff_kit.exercises.in_process import InProcessRunner
from autodiff_kit.exercises.protocol import Call, LearnerCodeError

MB = 1 << 20


def grows(n):
    """A vector of n numbers while it runs; nothing afterwards."""
    return float(np.ones(n).sum())


def fails(n):
    grows(n)
    raise ValueError("no more")


ANSWER = InProcessRunner({"grows": grows, "fails": fails})


def test_the_peak_of_a_call_is_weighed():
    x = np.ones(MB)
    assert 8 * MB <= ANSWER(Call("grows", (MB,), memory=True)).peak < 8.2 * MB
    assert ANSWER(Call("grows", (1,), memory=True)).peak < 0.2 * MB  # neither x nor the call before it counts
    assert ANSWER(Call("grows", (MB,))).peak == 0
    assert x.nbytes == 8 * MB


def test_nothing_goes_on_watching():
    ANSWER(Call("grows", (10,), memory=True))
    with pytest.raises(LearnerCodeError):
        ANSWER(Call("fails", (10,), memory=True))
    assert not tracemalloc.is_tracing()


def test_someone_elses_watch_goes_on():
    tracemalloc.start()
    try:
        kept = np.ones(2 * MB)
        assert 8 * MB <= ANSWER(Call("grows", (MB,), memory=True)).peak < 8.2 * MB
        assert tracemalloc.is_tracing()
        assert kept.nbytes == 16 * MB
    finally:
        tracemalloc.stop()
