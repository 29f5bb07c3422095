"""Long records and long trainings: no recursion, no growth. Rows B05 and B45."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels
from autodiff_kit.core.record import open_records


def test_a_record_of_100_000_operations() -> None:
    """Neither the sweeps nor the deletion of the record recurse."""
    w = ak.Variable(1.0)
    with ak.GradientTape(persistent=True) as tape:
        y = w
        for _ in range(50_000):
            y = y * 1.0 + 0.0
    assert len(tape._record.nodes) == 100_000
    assert float(tape.gradient(y, w)) == 1.0
    assert float(tape.jacobian(y, w, mode="forward")) == 1.0
    del tape, y
    gc.collect()


def test_a_deep_record_of_arrays_is_freed_without_recursion() -> None:
    w = ak.Variable(np.ones(2))
    with ak.GradientTape() as tape:
        y = w
        for _ in range(60_000):
            y = y + 1.0
    assert tape.gradient(y, w).tolist() == [1.0, 1.0]
    del tape, y
    gc.collect()


def test_a_deep_chain_forwards() -> None:
    x = ak.constant(1.0)
    with ak.ForwardAccumulator(x, 1.0) as acc:
        y = x
        for _ in range(30_000):
            y = y * 1.0
    assert float(acc.jvp(y)) == 1.0
    del acc, y
    gc.collect()


def blocks() -> int:
    """Memory blocks that Python has allocated: one leaked object per step would show as thousands."""
    gc.collect()
    return sys.getallocatedblocks()


def _train(steps: int, opt: Any, w: Any, b: Any, x: Any, t: Any) -> None:
    for _ in range(steps):
        with ak.GradientTape() as tape:
            loss = ak.mean((ak.tanh(x @ w) + b - t) ** 2)
        opt.apply_gradients(list(zip(tape.gradient(loss, [w, b]), [w, b], strict=True)))


@pytest.mark.parametrize("make", [lambda: ak.optim.SGD(0.01, momentum=0.9), ak.optim.Adam], ids=["SGD", "Adam"])
def test_b45_memory_is_flat_over_training(make: Any, every_case: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """B45: one tape per step; after the first hundred steps memory does not grow, and no tape stays open."""
    monkeypatch.setenv("AUTODIFF_KIT_NUMBA", "0")  # a compiler that starts meanwhile would look like a leak
    if kernels._thread is not None:
        kernels._thread.join()  # as would one that an earlier test has started
    rng = np.random.default_rng(0)
    w, b = ak.Variable(rng.normal(size=(4, 1))), ak.Variable(0.0)
    x, t = ak.constant(rng.normal(size=(16, 4))), ak.constant(rng.normal(size=(16, 1)))
    opt = make()
    _train(300, opt, w, b, x, t)
    before = blocks()
    _train(10_000 if every_case else 2_000, opt, w, b, x, t)
    assert blocks() - before < 300
    assert open_records.records == []


def test_memory_is_flat_when_a_tensor_is_watched_many_times() -> None:
    """One tensor that many tapes and accumulators watched keeps none of them alive."""
    x = ak.constant(np.ones(100))
    f = ak.grad(lambda z: (z * z).sum())

    def once() -> None:
        with ak.GradientTape() as tape:
            tape.watch(x)
            y = (x * x).sum()
        tape.gradient(y, x)
        with ak.ForwardAccumulator(x, np.ones(100)) as acc:
            z = x * x
        acc.jvp(z)
        f(x)

    for _ in range(50):
        once()
    before = blocks()
    for _ in range(1000):
        once()
    assert blocks() - before < 300


def test_b45_one_tape_around_all_steps_grows_and_one_per_step_does_not() -> None:
    """B45, lesson 13: 500 nodes against 5."""
    w = ak.Variable(1.0)

    def step() -> Any:
        return ((w * 2.0 + 1.0) ** 2 - 3.0) * 0.5

    with ak.GradientTape() as around:
        for _ in range(100):
            step()
    for _ in range(100):
        with ak.GradientTape() as each:
            step()
    assert (len(around.nodes), len(each.nodes)) == (500, 5)
