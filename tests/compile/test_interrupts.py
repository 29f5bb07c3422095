"""A compiled call lets other threads run, and Ctrl-C ends it between kernels; what it computes later is right."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.compile.run import work

from .python_kernels import build

pytestmark = pytest.mark.skipif(
    not kernels.enabled(), reason="kernels are native code, which numba's llvmlite compiles"
)

X = ak.constant(np.random.default_rng(0).normal(size=(600, 600)) / 600)
START = ak.constant(np.linspace(0.0, 1.0, 20_000))


def _products(x: Any) -> Any:
    for _ in range(12):
        x = ak.tanh(x @ x)
    return x


def _steps(x: Any) -> Any:
    def step(carry: Any, _: Any) -> Any:
        after = ak.tanh(carry * 1.0001 + 0.1 * ak.sin(carry))
        return after, after[0]

    return ak.scan(step, x, None, length=400)[0]


CALLS: dict[str, tuple[Callable[[Any], Any], Any]] = {"products": (_products, X), "a loop": (_steps, START)}


def compiled(name: str) -> tuple[Any, Any]:
    f, x = CALLS[name]
    made = ak.compile(f)
    made(x)
    build(made, None)  # native code: a kernel in Python is stopped anyway
    made(x)
    return made, x


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_run_during_a_compiled_call(name: str) -> None:
    made, x = compiled(name)
    ticks, ends = 0, False

    def count() -> None:
        nonlocal ticks
        while not ends:
            ticks += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    before = ticks
    made(x)
    during = ticks - before
    ends = True
    thread.join()
    assert during > 20  # with the lock held there are one or two, at the ends of the call


@pytest.fixture
def _sigint_raises() -> Iterator[None]:
    """A process that a shell began in the background ignores SIGINT, and nothing would stop the call."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_sigint_raises")
@pytest.mark.parametrize("name", CALLS)
def test_a_compiled_call_can_be_stopped(name: str) -> None:
    """The signal comes from a thread that runs only while the call has given the lock away."""
    made, x = compiled(name)
    right = np.asarray(made(x))
    inside = threading.Event()

    def stop() -> None:
        inside.wait()
        time.sleep(0.001)
        _thread.interrupt_main()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(KeyboardInterrupt):  # at once, or in one of the calls
        inside.set()
        until = time.monotonic() + 60
        while time.monotonic() < until:
            made(x)
    thread.join()
    np.testing.assert_array_equal(np.asarray(made(x)), right)


def test_a_plan_is_cut_into_parts_before_it_writes_a_variable() -> None:
    w = ak.Variable(np.zeros((600, 600)))

    def f(x: Any) -> Any:
        y = _products(x)
        w.assign_add(y)
        return ak.sum(_products(w @ x))

    made = ak.compile(f)
    made(X)
    build(made, None)  # native code: a kernel in Python is stopped anyway
    made(X)
    lines = str(made.plan).splitlines()
    assert sum("run_large_units" in line for line in lines) >= 12
    assert work.LARGE < 600**3 < 100 * work.MOST_AT_ONCE
