"""Kernels in two halves, each in its own thread: the same results, whatever happens to either half."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.passes import kernel_source
from autodiff_kit.compile.run.kernel_loader import load_kernel
from autodiff_kit.kernels import threads

from .python_kernels import build, compiler
from .test_random import check


@pytest.fixture(autouse=True)
def eager_to_halve(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Split every kernel that can be split, however small."""
    monkeypatch.setattr(threads, "MIN_OPERATIONS", 0)
    monkeypatch.setattr(threads.numba.config, "NUMBA_NUM_THREADS", 2)
    monkeypatch.setattr(kernel_source, "TILE_LENGTH", 4)
    yield
    with threads._creation_lock:
        assert all(helper.in_use.acquire(timeout=5.0) for helper in threads._helpers)
        for helper in threads._helpers:
            helper.in_use.release()


def made(f: Callable[..., Any], *args: Any, how: Any = compiler) -> Any:
    compiled = ak.compile(f)
    compiled(*args)
    build(compiled, how)
    compiled(*args)
    return compiled


def chain(x: Any) -> Any:
    return ak.sum(ak.tanh(x) * x + x)


X = ak.constant(np.linspace(-1, 1, 101))


@pytest.mark.parametrize("start", range(600_000, 600_100, 25))
def test_random_programs(start: int) -> None:
    check(range(start, start + 25), compiler)


@pytest.mark.parametrize("shape", [(101,), (100, 3), (4, 6, 5), (7, 3)])
def test_rows_totals_and_long_rows(shape: tuple[int, ...]) -> None:
    def f(x: Any, w: Any) -> Any:
        return ak.sum(ak.nn.softmax(x * w) * x)

    given = [ak.constant(np.random.default_rng(k).standard_normal(shape)) for k in range(2)]
    gradient = ak.value_and_grad(f, (0, 1))
    compiled = made(gradient, *given, how=load_kernel)
    for a, b in zip(compiled(*given)[1], gradient(*given)[1], strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-14)
    assert ("in two halves" in str(compiled.plan)) == (shape != (7, 3)), "seven rows have no half"


def test_steps_of_an_optimizer() -> None:
    first = np.linspace(-1, 1, 101)
    variables, optimizers = [ak.Variable(first) for _ in range(2)], [ak.optim.Adam(0.01) for _ in range(2)]

    def step(k: int) -> Any:
        return optimizers[k].minimize(lambda: ak.sum(variables[k] ** 2), [variables[k]])

    compiled = made(lambda: step(0))
    for _ in range(5):
        compiled()
    for _ in range(7):
        step(1)
    np.testing.assert_allclose(variables[0].numpy(), variables[1].numpy(), rtol=1e-12)
    assert "in two halves" in str(compiled.plan)


def test_a_busy_thread_leaves_both_halves_to_the_caller() -> None:
    compiled = made(chain, X)
    expected = float(chain(X))
    (helper,) = threads._helpers
    with helper.in_use:
        assert float(compiled(X)) == pytest.approx(expected, rel=1e-12)


def test_many_threads_compute_at_once() -> None:
    wrong: list[float] = []

    def work(k: int) -> None:
        x = ak.constant(np.linspace(-1, k, 1001))
        compiled, expected = made(chain, x), float(chain(x))
        found = [float(compiled(x)) for _ in range(50)]
        wrong.extend(y for y in found if not np.isclose(y, expected, rtol=1e-12))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_interrupt_waits_for_the_other_half(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = made(chain, X)
    freely, mine = threads.run_units_nogil, threading.get_ident()

    def interrupted(first: float, last: float) -> None:
        freely(first, last)
        if threading.get_ident() == mine:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(threads, "run_units_nogil", interrupted)
        with pytest.raises(KeyboardInterrupt):
            compiled(X)
    assert float(compiled(X)) == pytest.approx(float(chain(X)), rel=1e-12)


def test_an_interrupt_while_waiting_is_raised_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = made(chain, X)
    (helper,) = threads._helpers

    class Interrupted:
        def __init__(self, ended: Any) -> None:
            self.ended, self.times = ended, 0
            self.put = ended.put

        def get(self, timeout: float) -> None:
            self.times += 1
            if self.times == 1:
                raise KeyboardInterrupt
            self.ended.get(timeout=timeout)

    freely, mine = threads.run_units_nogil, threading.get_ident()

    def late(first: float, last: float) -> None:
        if threading.get_ident() != mine:
            time.sleep(0.1)  # so that the main thread has to wait
        freely(first, last)

    monkeypatch.setattr(threads, "run_units_nogil", late)
    ended = Interrupted(helper._ended)
    monkeypatch.setattr(helper, "_ended", ended)
    with pytest.raises(KeyboardInterrupt):
        compiled(X)
    assert ended.times >= 2
    assert float(compiled(X)) == pytest.approx(float(chain(X)), rel=1e-12)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_makes_its_own_thread() -> None:
    compiled = made(chain, X)
    expected = float(compiled(X))
    child = os.fork()
    if child == 0:
        os._exit(0 if float(compiled(X)) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_one_thread_splits_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads.numba.config, "NUMBA_NUM_THREADS", 1)
    assert "in two halves" not in str(made(chain, X).plan)
