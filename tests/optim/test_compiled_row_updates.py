"""Compiled steps of few rows of a large table: those of the tape, and no memory of the table's size."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now

COUNT, WIDTH, BATCH = 1 << 13, 8, 24
OPTIMIZERS: dict[str, Callable[[], ak.optim.Optimizer]] = {
    "SGD": lambda: ak.optim.SGD(0.1),
    "SGD with momentum": lambda: ak.optim.SGD(0.1, momentum=0.9),
    "Adagrad": lambda: ak.optim.Adagrad(0.1),
    "Adam": lambda: ak.optim.Adam(0.1),
    "lazy Adam": lambda: ak.optim.Adam(0.1, lazy=True),
    "lazy AdamW": lambda: ak.optim.AdamW(0.1, lazy=True),
}
every = pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
some = pytest.mark.parametrize("make", [OPTIMIZERS["SGD"], OPTIMIZERS["lazy Adam"]], ids=["SGD", "lazy Adam"])
Loss = Callable[..., Any]


def assert_steps_as_on_the_tape(make: Any, loss: Loss, tables: int = 1, calls: int = 6, **more: Any) -> Any:
    """Run a training step on equal variables by the tape and compiled, and compare all that it leaves."""
    rng = np.random.default_rng(0)
    starts = [rng.normal(size=(COUNT, WIDTH)) for _ in range(tables)]
    ids = [rng.integers(-40, 40, BATCH) for _ in range(calls)]  # about half of them repeat another one
    done = []
    for compiled in (False, True):
        several, opt = [ak.Variable(start, **more) for start in starts], make()

        def step(at: Any, several: Any = several, opt: Any = opt) -> Any:
            return loss(opt, several, at)

        run = ak.compile(step) if compiled else step
        losses = []
        for k, at in enumerate(ids):
            losses.append(np.asarray(run(at)))
            if compiled and k == calls // 2:
                build_kernels_now(run)
        done.append((losses, several, opt))
    (expected, before, one), (found, after, other) = done
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(other.last_update(b), one.last_update(a), rtol=1e-9, atol=1e-13)
        for name in one.slot_names():
            np.testing.assert_allclose(other.get_slot(b, name), one.get_slot(a, name), rtol=1e-12, atol=1e-15)
    return run


def squares(opt: Any, tables: Any, ids: Any) -> Any:
    return opt.minimize(lambda: (ak.take(tables[0], ids, axis=0) ** 2).sum(), tables)


@every
def test_ids_that_repeat(make: Any) -> None:
    run = assert_steps_as_on_the_tape(make, squares)
    assert run.trace_count == 1
    assert run.plan.ready


@some
def test_ids_that_the_function_holds(make: Any) -> None:
    assert_steps_as_on_the_tape(make, lambda opt, tables, _: squares(opt, tables, np.array([5, 70, 5, -1])))


@some
def test_two_tables_read_by_several_ids(make: Any) -> None:
    """One of them twice: both readings move it."""

    def loss(opt: Any, tables: Any, ids: Any) -> Any:
        a, b = tables
        return opt.minimize(lambda: (a[ids] * b[ids + 3]).sum() + (b[ids[:7]] ** 3).sum(), tables)

    assert_steps_as_on_the_tape(make, loss, tables=2)


@some
def test_a_table_that_is_also_read_whole(make: Any) -> None:
    def loss(opt: Any, tables: Any, ids: Any) -> Any:
        (w,) = tables
        return opt.minimize(lambda: (ak.take(w, ids, axis=0) ** 2).sum() + (w * w).mean(), tables)

    assert_steps_as_on_the_tape(make, loss)


@some
def test_rows_of_what_follows_from_a_table(make: Any) -> None:
    """Not a reading of the table itself: its gradient is dense, which a lazy step sees."""

    def loss(opt: Any, tables: Any, ids: Any) -> Any:
        return opt.minimize(lambda: ((tables[0] + 1.0)[ids] ** 2).sum(), tables)

    assert_steps_as_on_the_tape(make, loss)


@some
def test_a_gradient_that_is_also_used_elsewhere(make: Any) -> None:
    def loss(opt: Any, tables: Any, ids: Any) -> Any:
        ((g, w),) = opt.compute_gradients(lambda: (tables[0][ids] ** 2).sum(), tables)
        norm = ak.sum(ak.square(g))
        opt.apply_gradients([(g, w)])
        return norm

    assert_steps_as_on_the_tape(make, loss)


@some
def test_several_steps_in_one_call(make: Any) -> None:
    """The old value is used after the step too, and so must not be overwritten."""

    def loss(opt: Any, tables: Any, ids: Any) -> Any:
        (w,) = tables
        old = w * 1.0
        first = squares(opt, tables, ids)
        return first + squares(opt, tables, ids + 1) + ((w - old) ** 2).sum()

    assert_steps_as_on_the_tape(make, loss)


@some
def test_a_constraint(make: Any) -> None:
    assert_steps_as_on_the_tape(make, squares, constraint=lambda value: np.maximum(value, -0.5))


@some
def test_a_mask(make: Any) -> None:
    mask = np.zeros((COUNT, 1), bool)
    mask[:20] = True

    def loss(opt: Any, tables: Any, ids: Any) -> Any:
        with opt.frozen({tables[0]: mask}):
            return squares(opt, tables, ids)

    assert_steps_as_on_the_tape(make, loss)


@pytest.mark.parametrize("kind", ["SGD", "Adagrad", "lazy Adam"])
def test_a_step_allocates_nothing_of_the_tables_size(kind: str) -> None:
    opt, table = OPTIMIZERS[kind](), ak.Variable(np.ones((1 << 17, 16), "float32"))

    @ak.compile
    def step(ids: Any) -> Any:
        return squares(opt, [table], ids)

    ids = np.array([5, 70, 5, 1000])
    step(ids)
    build_kernels_now(step)
    step(ids)
    where = table._value.ctypes.data
    tracemalloc.start()
    for k in range(4):
        step(ids + k)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e5, f"{peak} bytes for 4 rows of a table of {table._value.nbytes}"
    assert table._value.ctypes.data == where
    assert np.flatnonzero((table.numpy() != 1.0).any(axis=1)).size == 12


def test_an_array_that_the_caller_holds_stays() -> None:
    opt, table = ak.optim.SGD(0.1), ak.Variable(np.ones((COUNT, WIDTH)))
    step = ak.compile(lambda ids: squares(opt, [table], ids))
    step(np.arange(3))
    build_kernels_now(step)
    for _ in range(3):
        held = table.numpy()
        before = held.copy()
        step(np.arange(3))
        np.testing.assert_array_equal(held, before)
        assert (table.numpy()[:3] < before[:3]).all()


@pytest.mark.parametrize("by_rows", [True, False], ids=["rows", "dense"])
def test_a_step_may_return_the_value_before_it(by_rows: bool) -> None:
    def loss(opt: Any, tables: Any, ids: Any) -> Any:
        (w,) = tables
        old = ak.stop_gradient(w)
        opt.minimize((lambda: (w[ids] ** 2).sum()) if by_rows else (lambda: (w * w).sum()), tables)
        return old

    assert_steps_as_on_the_tape(OPTIMIZERS["SGD"], loss)


def test_ids_in_a_matrix() -> None:
    assert_steps_as_on_the_tape(OPTIMIZERS["SGD"], lambda opt, tables, ids: squares(opt, tables, ids.reshape(4, -1)))
