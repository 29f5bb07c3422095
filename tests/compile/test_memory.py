"""Ownership of memory: outputs are the caller's, arguments are released, unshared variables are updated in place."""

from __future__ import annotations

import gc
import threading
import weakref
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run.kernel_loader import load_kernel

from .python_kernels import build, compiler, plans

RNG = np.random.default_rng(3)


def ready(f: Any, *args: Any) -> Any:
    compiled = ak.compile(f)
    compiled(*args)
    build(compiled)
    compiled(*args)
    return compiled


def test_outputs_are_safe_to_keep() -> None:
    compiled = ready(ak.value_and_grad(lambda x: ak.sum(ak.sin(x) * x)), np.ones(50))
    kept = []
    for k in range(5):
        x = np.full(50, float(k))
        _, slope = compiled(x)
        kept.append((slope.numpy()[3:7], np.cos(x)[3:7] * x[3:7] + np.sin(x)[3:7]))  # a view is enough
        del slope
    for found, expected in kept:
        np.testing.assert_allclose(found, expected)


def test_large_outputs_take_memory_that_was_dropped_and_no_other() -> None:
    x = ak.constant(np.ones(200_000))
    compiled = ready(lambda x: x * 2.0 + 1.0, x)
    places = {compiled(x).numpy().__array_interface__["data"][0] for _ in range(6)}
    held = [compiled(x * float(k)).numpy()[3:5] for k in range(5)]  # a view is enough
    assert len(places) <= 2
    for k, part in enumerate(held):
        np.testing.assert_array_equal(part, 2.0 * k + 1.0)


def test_an_output_that_a_tape_recorded_stays() -> None:
    x = ak.constant(np.ones(50))
    compiled = ready(lambda x: (x * 2.0, ak.sum(x)), x)
    for _ in range(3):
        y, total = compiled(x)
        with ak.GradientTape() as tape:
            tape.watch([y, total])
            z = ak.sum(y * y) * total
        del y, total
        later = compiled(x * 3.0)
        assert [t.node for t in later] == [None, None]
        assert float(z) == 50 * 4.0 * 50


def test_an_array_argument_with_new_memory() -> None:
    compiled = ready(lambda x: x * 2.0, np.ones(4))
    x = np.arange(4.0)
    for k in range(5):
        np.testing.assert_array_equal(np.asarray(compiled(x)), np.arange(4.0) * 2.0)
        x.resize(100_000 * (k + 1), refcheck=False)
        x.resize(4, refcheck=False)


def test_arguments_are_released() -> None:
    compiled = ready(lambda x: ak.sum(x * 2.0), np.ones(1000))
    x = np.ones(1000)
    seen = weakref.ref(x)
    compiled(x)
    del x
    gc.collect()
    assert seen() is None


def test_an_array_argument_is_returned_as_a_copy() -> None:
    x = np.ones(5)
    compiled = ready(lambda x: (x, x[1:], x * 1.0), x)
    for answer in compiled(x):
        answer = np.asarray(answer)
        x[:] = 7.0
        assert (answer == 1.0).all()
        x[:] = 1.0


def _training(sizes: tuple[int, ...] = (3, 8, 2)) -> tuple[Any, list[ak.Variable], Any]:
    r = np.random.default_rng(0)
    ws = [ak.Variable(r.standard_normal((a, b)).astype("f4")) for a, b in pairwise(sizes)]
    bs = [ak.Variable(np.zeros(n, "f4")) for n in sizes[1:]]
    x, labels = ak.constant(r.standard_normal((5, sizes[0])).astype("f4")), r.integers(0, sizes[-1], 5)
    optimizer = ak.optim.Adam(0.05)

    def loss() -> Any:
        h = x
        for k, (w, b) in enumerate(zip(ws, bs, strict=True)):
            h = ak.nn.relu(h @ w + b) if k < len(ws) - 1 else h @ w + b
        return ak.nn.sparse_softmax_cross_entropy(labels, h).mean()

    return (lambda: optimizer.minimize(loss, [*ws, *bs])), [*ws, *bs], optimizer


def test_a_step_of_training() -> None:
    eager, ws, optimizer = _training()
    step, vs, twin = _training()
    compiled = ak.compile(step)
    held: list[Any] = []
    for k in range(12):
        np.testing.assert_allclose(float(compiled()), float(eager()), rtol=1e-5)
        if k == 2:
            build(compiled)
        if k == 6:  # the value is read
            held = [(v.numpy(), v.numpy().copy()) for v in vs]
        if k == 8:  # and assigned
            for v, w in zip(vs, ws, strict=True):
                v.assign(v.numpy() * 0.5)
                w.assign(w.numpy() * 0.5)
        if k == 9:  # one step that is not compiled
            step()
            eager()
        if k == 10:
            twin.load_state_dict(twin.state_dict())
    for v, w in zip(vs, ws, strict=True):
        np.testing.assert_allclose(v.numpy(), w.numpy(), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(twin.last_update(v), optimizer.last_update(w), rtol=1e-3, atol=1e-7)
        for name in twin.slot_names():
            np.testing.assert_allclose(twin.get_slot(v, name), optimizer.get_slot(w, name), rtol=1e-3, atol=1e-7)
    for now, then in held:
        np.testing.assert_array_equal(now, then)
    assert compiled.trace_count == 1


def test_variables_are_updated_in_place() -> None:
    step, vs, _ = _training()
    compiled = ready(step)
    places = [v._value.__array_interface__["data"][0] for v in vs]
    for _ in range(3):
        compiled()
    assert places == [v._value.__array_interface__["data"][0] for v in vs]
    seen = vs[0].numpy()
    before = seen.copy()
    compiled()
    np.testing.assert_array_equal(seen, before)
    assert not np.array_equal(vs[0].numpy(), before)


def test_a_setting_of_the_optimizer_is_seen() -> None:
    w = ak.Variable(np.ones(3))
    optimizer = ak.optim.SGD(0.1)
    compiled = ready(lambda: optimizer.minimize(lambda: ak.sum(w), [w]))
    before = w.numpy().copy()
    optimizer.learning_rate = 1.0
    compiled()
    np.testing.assert_allclose(w.numpy(), before - 1.0)
    for rate in (0.5, 0.25, 2.0):  # a schedule needs no new traces
        before, optimizer.learning_rate = w.numpy().copy(), rate
        compiled()
        np.testing.assert_allclose(w.numpy(), before - rate)
    assert compiled.trace_count == 1
    optimizer.momentum = 0.9
    optimizer.learning_rate = 1
    before = w.numpy().copy()
    compiled()
    np.testing.assert_allclose(w.numpy(), before - 1.0)


def test_threads_and_reentry() -> None:
    compiled = ready(ak.grad(lambda x: ak.sum(ak.tanh(x) * x)), np.ones(200))
    wrong: list[str] = []

    def work(seed: int) -> None:
        r = np.random.default_rng(seed)
        for _ in range(50):
            x = r.standard_normal(200)
            found = compiled(x).numpy()
            if not np.allclose(found, np.tanh(x) + x / np.cosh(x) ** 2):
                wrong.append("different")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong

    @ak.compile
    def itself(x: Any, depth: int) -> Any:
        return x if depth == 0 else itself(x, depth - 1) + 1.0

    assert float(itself(0.5, 3)) == 3.5


def test_shared_memory_is_no_larger_than_what_is_in_use() -> None:
    step, _, _ = _training((20, 64, 64, 5))
    compiled = ready(step)
    store = plans(compiled)[0].kernel_plan.memory_plan
    assert store.arena_bytes <= 1.05 * store.peak_live_bytes + 4096


def test_a_method_and_a_decorator() -> None:
    class Line(ak.Module):
        def __init__(self) -> None:
            self.slope = ak.Variable(2.0)

        @ak.compile
        def __call__(self, x: Any) -> Any:
            return self.slope * x

    a, b = Line(), Line()
    b.slope.assign(5.0)
    assert [float(m(3.0)) for m in (a, b, a)] == [6.0, 15.0, 6.0]
    assert Line.__call__.__name__ == "__call__"


@pytest.mark.parametrize("how", [compiler, load_kernel], ids=["plain", "numba"])
def test_graphs_of_single_numbers_run_in_the_interpreter(how: Any) -> None:
    def chain(x: Any) -> Any:
        for _ in range(10):
            x = ak.sin(x) * x + ak.exp(-x)
        return ak.where(x > 0.5, x, 2.0 * x)

    f = ak.value_and_grad(chain)
    compiled = ak.compile(f)
    compiled(0.7)
    build(compiled, how)
    for x in (0.7, 0.9, -1.3, 1e7, float("nan"), float("inf"), 0.0):
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(np.array(compiled(x)), np.array(f(x)), rtol=1e-9)
    assert "operations on single numbers" in str(compiled.plan)


def test_branching_on_a_number_does_not_use_the_interpreter() -> None:
    def f(x: Any) -> Any:
        for _ in range(4):
            x = ak.sin(x) * x + 0.5
        return x.astype("?").astype("f8") + x

    compiled = ready(f, 0.7)
    assert float(compiled(0.7)) == pytest.approx(float(f(0.7)))


def test_large_angles_fall_back() -> None:
    for dtype in ("f4", "f8"):
        x = np.array([0.5, 1e6, 3e9, -7e12, 1e30, np.inf, np.nan, 5.0] * 4, dtype)
        f = ak.value_and_grad(lambda x: ak.sum(ak.where(ak.isfinite(x), ak.sin(x), 0.0)))
        compiled = ak.compile(f)
        with np.errstate(all="ignore"):
            expected = f(x)
            compiled(x)
            build(compiled, load_kernel)
            for a, b in zip(compiled(x), expected, strict=True):
                np.testing.assert_allclose(
                    np.asarray(a), np.asarray(b), rtol=1e-5 if dtype == "f4" else 1e-9, atol=1e-6
                )


@pytest.mark.filterwarnings("ignore:Mean of empty:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f2", "i8", "?", "f4"])
def test_other_dtypes_and_layouts(dtype: str) -> None:
    def f(x: Any) -> Any:
        y = ak.constant(1.5) * x
        return y.sum(), ak.where(x > 0, x, -x if dtype != "?" else x), x[::-1], x.T, (x * x).astype("f8").mean()

    base = (RNG.standard_normal((6, 8)) * 3).astype(dtype)
    for x in (base, base[::2, 1:], base.T, base[::-1], np.asfortranarray(base), base[:0], base[0, 0]):
        compiled = ak.compile(f)
        with np.errstate(all="ignore"):
            try:
                expected = f(ak.constant(x))
            except ak.AutodiffError:
                continue
            for given in (ak.constant(x), np.array(x)):
                for a, b in zip(compiled(given), expected, strict=True):
                    assert np.asarray(a).dtype == np.asarray(b).dtype
                    np.testing.assert_allclose(
                        np.asarray(a, float), np.asarray(b, float), rtol=1e-2 if dtype == "f2" else 1e-5
                    )
                build(compiled, compiler)


def test_random_numbers_are_drawn_at_each_call() -> None:
    ones, draw, twin = ak.constant(np.ones(200)), np.random.default_rng(5), np.random.default_rng(5)
    given, fixed = lambda x, g: ak.nn.dropout(x, 0.5, seed=g), lambda g: ak.nn.dropout(ones, 0.5, seed=g)
    for f, args in ((given, (ones,)), (fixed, ())):
        compiled = ak.compile(f)
        for k in range(4):
            np.testing.assert_array_equal(compiled(*args, draw).numpy(), f(*args, twin).numpy())
            if k == 1:
                build(compiled)


def test_a_table_of_which_few_rows_are_read() -> None:
    def made() -> tuple[Any, Any, Any]:
        table = ak.Variable(np.arange(40_000.0).reshape(20_000, 2) / 40_000.0)
        optimizer = ak.optim.Adam(0.1)
        step = lambda ids: optimizer.minimize(lambda: (ak.nn.embedding(table, ids) ** 2).sum(), [table])  # noqa: E731
        return step, table, optimizer

    (eager, a, _), (step, b, _) = made(), made()
    compiled = ak.compile(step)
    for k in range(4):
        ids = np.array([k, 7, 7, 100])
        np.testing.assert_allclose(float(compiled(ids)), float(eager(ids)))
        if k == 1:
            build(compiled)
    np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-9)
    assert compiled.trace_count == 1
