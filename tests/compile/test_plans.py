"""The contents of plans: no operation is a separate call where a kernel can compute it."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.passes import memory_plan
from autodiff_kit.compile.passes.fusion import FusionGroup
from autodiff_kit.compile.row_steps import sum_equal_ids
from autodiff_kit.compile.run.kernel_loader import kernel_module_source, load_kernel
from autodiff_kit.kernels import code_cache

from .python_kernels import build, compiler
from .random_programs import flat

RNG = np.random.default_rng(11)


def normal(*shape: int) -> Any:
    return ak.constant(RNG.standard_normal(shape).astype(np.float32))


def planned(f: Any, *args: Any) -> Any:
    """The plan of a function, after checking that it agrees with the eager run."""
    compiled = ak.compile(f)
    compiled(*args)
    (plan,) = build(compiled, compiler)
    for found, expected in zip(flat(compiled(*args)), flat(f(*args)), strict=True):
        # In single precision a sum with cancellation is as exact as its largest terms.
        np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-6 * max(10.0, np.abs(expected).max()))
    return plan.kernel_plan


def units(f: Any, *args: Any) -> Counter[str]:
    """The numbers of kernels, products, calls, ... in the plan of a function."""
    return Counter("kernel" if isinstance(u, FusionGroup) else u.node.op for u in planned(f, *args).units)


def copies(f: Any, *args: Any) -> int:
    """The number of arrays that the plan of a function copies."""
    return str(planned(f, *args).source).count("copyto(")


def test_norms_are_kernels() -> None:
    x, g, b = normal(4, 6, 8), normal(8), normal(8)
    slopes = ak.value_and_grad(lambda x, g, b: (ak.nn.layer_norm(x, g, b) ** 2).sum(), argnums=(0, 1, 2))
    assert units(slopes, x, g, b)["call"] == 0


def test_equal_calls_run_once_and_write_into_the_plans_memory() -> None:
    """A convolution, and a pooling whose maxima are found once, for the value and for the gradient."""

    def loss(k: Any, x: Any) -> Any:
        return (ak.nn.max_pool2d(ak.nn.conv2d(x, k, padding="same"), 2) ** 2).sum()

    k, x = normal(3, 3, 2, 4), normal(2, 6, 6, 2)
    found = units(ak.grad(loss), k, x)
    assert found["call"] == 4  # convolution, maxima, and their gradients
    assert copies(ak.grad(loss), k, x) == 0


@pytest.mark.parametrize("how", [compiler, load_kernel], ids=["plain", "LLVM"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_images_need_no_python(how: Any, dtype: str) -> None:
    """Convolutions and pooling run as units, also padded, dilated, strided and with windows that overlap."""

    def loss(x: Any, k: Any, back: Any) -> Any:
        y = ak.nn.max_pool2d(ak.nn.conv2d(x, k, (2, 1), "same"), (3, 2), 1, 1)
        return (ak.nn.conv2d_transpose(y, back, 2, 1, dilation=(1, 2)) ** 3).sum()

    args = [normal(*n).numpy().astype(dtype) for n in ((3, 9, 7, 2), (3, 3, 2, 4), (2, 3, 9, 4))]
    slopes = ak.compile(ak.grad(loss, argnums=(0, 1, 2)))
    before = [t.numpy() for t in slopes(*args)]
    plan, *_ = build(slopes, how)
    assert "fn" not in str(plan).partition("return")[0]
    for a, b in zip(before, slopes(*args), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e3 * np.finfo(dtype).eps, atol=1e3 * np.finfo(dtype).eps * abs(a).max())


def test_draws_with_equal_arguments_stay_apart() -> None:
    x = ak.constant(np.ones(400))
    compiled = ak.compile(lambda x: (ak.nn.dropout(x, 0.5), ak.nn.dropout(x, 0.5)))
    for _ in range(2):
        a, b = (y.numpy() for y in compiled(x))
        assert (a != b).any()


def test_rows_of_equal_ids_are_summed_in_order() -> None:
    rng = np.random.default_rng(0)
    for count, most, shape in np.ndindex(5, 4, 2):
        ids, rows = rng.integers(0, 3**most, 2 * count), rng.normal(size=(2 * count, 3, 2)[: shape + 2])
        expected = np.array([rows[ids == one].sum(0) for one in ids]).reshape(rows.shape)
        np.testing.assert_allclose(sum_equal_ids(ids, rows), expected, rtol=1e-13, atol=1e-13)


def cell(x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> Any:
    """A long short-term memory (LSTM), which reads four slices of each step's sum."""
    z = x @ w + b
    for t in range(x.shape[0]):
        i, f, g, o = ak.split(z[t] + h @ u, 4, 1)
        c = ak.sigmoid(f) * c + ak.sigmoid(i) * ak.tanh(g)
        h = ak.sigmoid(o) * ak.tanh(c)
    return (h * h).sum()


def test_the_gates_of_a_time_step_share_kernels() -> None:
    def count(steps: int) -> int:
        args = [normal(steps, 4, 5), normal(4, 8), normal(4, 8), normal(5, 32), normal(8, 32), normal(32)]
        return units(ak.value_and_grad(cell, argnums=(3, 4, 5)), *args)["kernel"]

    assert count(7) - count(6) == 3


@pytest.mark.parametrize("index", [slice(4, 3, -1), slice(4, 5), slice(-1, None, -7)])
def test_a_slice_of_one_entry_is_an_array(index: slice) -> None:
    def f(x: Any) -> Any:
        return x[index] * 2.0 + x.sum()

    assert not copies(f, normal(6))  # no strided view begins behind its end, but a native unit takes the entry
    assert planned(ak.grad(lambda x: (f(x) ** 2).sum()), normal(6)).units


def test_adjacent_padded_parts_are_concatenated() -> None:
    def f(x: Any) -> Any:
        return (x[0] ** 2).sum() + (x[1] ** 3).sum() + (x[3] ** 2).sum() + x[4:6].sum()

    assert units(ak.grad(f), normal(8, 5))["pad"] == 2


def test_parts_of_a_new_value_are_written_after_the_old_one_is_read() -> None:
    v, twin = (ak.Variable(np.arange(6.0)) for _ in range(2))

    def turn(v: ak.Variable) -> Any:
        v.assign(ak.concat([v[2:] * 2.0, v[:2] + 1.0], 0))
        return v.sum()

    compiled = ak.compile(lambda: turn(v))
    compiled()
    turn(twin)
    build(compiled, compiler)
    for _ in range(3):
        assert float(compiled()) == float(turn(twin))
        np.testing.assert_array_equal(v.numpy(), twin.numpy())


def test_kernels_with_many_arrays_are_vectorized(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AUTODIFF_KIT_CACHE", str(tmp_path))
    args = [normal(4, 8, 16) for _ in range(12)]
    compiled = ak.compile(lambda *xs: [a * b + a for a, b in pairwise(xs)])
    compiled(*args)
    (plan,) = build(compiled, compiler)
    ((_, kernel),) = plan.kernel_plan.generator.kernels
    assert len(kernel.arrays) == 12 + 11
    modules: list[Any] = []
    optimized = code_cache._Machine.optimized
    monkeypatch.setattr(code_cache._Machine, "optimized", lambda *a: (modules.append(optimized(*a)), modules[-1])[1])
    load_kernel("# not compiled so far\n" + kernel_module_source(kernel))
    assert " x float>" in str(modules[-1])


def test_a_derivative_overwrites_a_value_that_only_it_reads() -> None:
    """There is a long chain of products between the first kernel and the last."""

    def f(x: Any, w: Any) -> Any:
        y = ak.sigmoid(x)
        for _ in range(120):
            y = ak.tanh(y @ w)
        return y.sum()

    plan = planned(ak.grad(f), normal(4, 5), normal(5, 5) * 0.3)
    first = next(u for u in plan.units if isinstance(u, FusionGroup))
    assert len(first.outputs) == 2  # its value and its derivative, no intermediate value


def test_a_kernel_writes_over_an_input_in_another_shape() -> None:
    """A product that is only read as an array with more axes: its memory takes the derivative."""

    def f(a: Any, b: Any, goal: Any) -> Any:
        return ((ak.reshape(a @ b, goal.shape) - goal) ** 2).sum()

    plan = planned(ak.grad(f, (0, 1)), normal(6, 5), normal(5, 8), normal(3, 2, 8))
    assert plan.memory_plan.arena_bytes == 64 * 3  # 48 numbers of 4 bytes, once


def test_whether_a_reshape_needs_a_copy_is_found_without_one() -> None:
    """The passes ask about arrays that have their shapes and almost no memory; a copy would be read from there."""
    template = np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 20, 1 << 20), (8 << 20, 8))
    assert memory_plan._reshaped(template.T, (1 << 40,)) is None
    assert memory_plan._reshaped(template, (1 << 40,)) is not None


def test_a_negative_number_is_raised_as_a_whole() -> None:
    """Beside an array, so that a plan computes it in Python between its kernels."""
    plan = planned(lambda x, n: x * ((-2.0) ** n), normal(300), 2.0)
    assert "(-2.0) ** " in str(plan.source)


def test_slots_that_are_written_and_never_read() -> None:
    """They are bound all the same, before they are written."""

    class Last(ak.optim.Optimizer):
        _slots = ("last",)

        def _initial_slots(self, like: Any) -> Any:
            return {"last": np.zeros(like.shape, like.dtype)}

        def _update(self, w: Any, g: Any, slots: Any) -> Any:
            slots["last"] = g * 1.0
            return -self.learning_rate * g

    w, optimizer = ak.Variable(np.ones(300)), Last(0.25)
    step = ak.compile(lambda: optimizer.minimize(lambda: (w * w).sum(), [w]))
    step()
    build(step, compiler)
    for _ in range(3):
        before = w.numpy().copy()
        step()
        np.testing.assert_array_equal(optimizer.get_slot(w, "last"), 2.0 * before)
        np.testing.assert_array_equal(w.numpy(), before / 2)


def test_dicts_of_other_types_are_filled_as_they_are() -> None:
    f = ak.compile(lambda x, table: Counter(a=x * table["b"]))
    assert f(2.0, defaultdict(list, b=3.0)) == Counter(a=6.0)


def test_equal_slices_of_arrays_of_different_lengths() -> None:
    slopes = ak.compile(ak.grad(lambda a, b: ak.sum(ak.sin(a[:3] + b[:3])), (0, 1)))
    assert [g.shape for g in slopes(normal(5), normal(7))] == [(5,), (7,)]
