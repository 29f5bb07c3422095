"""Loops whose steps need no Python: numbers, comparisons, loops inside of loops, and LAPACK, which may fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now

RNG = np.random.default_rng(0)
SQUARE = RNG.normal(size=(4, 4)) * 0.3
COLUMNS = RNG.normal(size=(4, 2))
POINTS = RNG.random((6, 6))


def soft_warping(distances: Any) -> Any:
    """Soft dynamic time warping: a loop over columns inside a loop over rows."""

    def row(before: Any, costs: Any) -> Any:
        def cell(left: Any, given: Any) -> Any:
            cost, up, diagonal = given
            reached = cost - 0.1 * ak.logsumexp(ak.stack([-left / 0.1, -up / 0.1, -diagonal / 0.1]))
            return reached, reached

        shifted = ak.concat([before[:1] * 0 + 1e3, before[:-1]])
        _, new = ak.scan(cell, np.float64(1e3), (costs, before, shifted))
        return new, new[-1]

    return ak.scan(row, ak.cumsum(distances[0]), distances[1:])[0][-1]


def line_search(x: Any) -> Any:
    """Steepest descent with steps that are halved until they descend."""

    def step(x: Any, _: Any) -> Any:
        slope = 2.0 * (SQUARE.T @ (SQUARE @ x))
        loss = ak.sum((SQUARE @ x) ** 2)

        def halve(size: Any, _: Any) -> Any:
            descends = ak.sum((SQUARE @ (x - size * slope)) ** 2) <= loss - 1e-4 * size * ak.sum(slope * slope)
            return ak.where(descends, size, 0.5 * size), None

        return x - ak.scan(halve, np.float64(8.0), length=6)[0] * slope, loss

    return ak.sum(ak.scan(step, x, length=5)[1])


def normalised(x: Any) -> Any:
    """Power iteration."""

    def step(v: Any, _: Any) -> Any:
        new = x @ v
        return new / ak.norm(new), ak.max(new)

    v, largest = ak.scan(step, np.ones(4), length=7)
    return ak.sum(v * v * v) + ak.sum(largest)


def branches(x: Any) -> Any:
    def step(c: Any, _: Any) -> Any:
        c = ak.cond(ak.sum(c) > 0, lambda c: c * 0.5 - 0.1, lambda c: c * c + 0.3, c)
        return c, ak.where(c[0] > c[1], c[0], -1.0) * 2.0

    return ak.sum(ak.scan(step, x, length=9)[1])


def riccati(x: Any) -> Any:
    """Matrices of a linear regulator: a system is solved in each step."""

    def step(p: Any, _: Any) -> Any:
        gain = ak.solve(np.eye(2) + COLUMNS.T @ p @ COLUMNS, COLUMNS.T @ p @ SQUARE)
        return x + SQUARE.T @ p @ (SQUARE - COLUMNS @ gain), None

    return ak.sum(ak.scan(step, x, length=5)[0])


def backward_sums(x: Any) -> Any:
    """Two loops inside of one, one of them from the end, with numbers that the outer step computes."""

    def step(c: Any, row: Any) -> Any:
        weight = 0.1 * ak.sum(row)
        total, partial = ak.scan(lambda s, e: (s + weight * e, s * e), ak.sum(c) * 0.0, row * c, reverse=True)
        last, _ = ak.scan(lambda s, e: (ak.tanh(s + e), None), c, ak.stack([row, partial]))
        return last + total, ak.max(partial)

    c, largest = ak.scan(step, x[0], x, reverse=True)
    return ak.sum(c) + ak.sum(largest)


def lookups(x: Any) -> Any:
    """Entries and rows by numbers that differ from step to step, some of them negative or equal."""

    def step(c: Any, numbers: Any) -> Any:
        one, some = numbers
        return c + 0.1 * ak.tanh(x[one] * c) + 0.2 * ak.sum(ak.sin(x[some]) * c, 0), x[one][0] * 1.0

    c, first = ak.scan(step, x[0], (np.array([0, 3, -1, 2]), np.array([[1, 1], [0, -2], [5, 3], [2, 2]])))
    return ak.sum(c * c) + ak.sum(first)


def counters(x: Any) -> Any:
    """Integers that are counted, taken modulo, compared, and used beside floats."""

    def step(state: Any, k: Any) -> Any:
        c, count = state
        even = k % 2 == 0
        c = ak.where(even, c + ak.tanh(c) / (count + 1.0), c * 0.9**k)
        return (c, count + 2), ak.arctan2(c, 2.0) * (k // 3) + ak.cumsum(c)

    (c, count), results = ak.scan(step, (x, np.int64(0)), np.arange(8))
    return ak.sum(c * c) + ak.sum(results) + count


def running(x: Any) -> Any:
    def step(c: Any, _: Any) -> Any:
        return ak.tanh(ak.cumsum(ak.cumsum(c, 1), 0)), ak.cumsum(ak.reshape(c, (2, 3, 6)), 1)[0]

    c, ends = ak.scan(step, x * 0.3, length=4)
    return ak.sum(c * c) + ak.sum(ends)


def passed_on(x: Any) -> Any:
    """Arrays and numbers that stay, change places, or come from the entries."""

    def step(c: Any, row: Any) -> Any:
        a, b, kept, one, other, factor = c
        return (b, a, kept, other, one, factor), (factor * ak.sum(a * kept * row), one)

    c = (x[0], x[1] * 2.0, x[2], x[3, 0], x[3, 1], x[4, 0])
    (a, b, kept, one, _, factor), (sums, ones) = ak.scan(step, c, x[:5])
    moved, _ = ak.scan(lambda c, row: ((row, c[0], c[1] + row), None), (a, b, kept), x, reverse=True)
    return ak.sum(sums * ones) + ak.sum(a * b * b) + one * factor + ak.sum(moved[1] * moved[2])


def best_path(x: Any) -> Any:
    """The scores of the best paths, and where each comes from, as the algorithm of Viterbi finds them."""

    def step(scores: Any, row: Any) -> Any:
        every = scores[:, None] + ak.sin(x)
        return ak.max(every, axis=0) + row, (ak.argmax(every, axis=0), ak.argmin(every))

    scores, (before, least) = ak.scan(step, x[0], x[1:])
    return ak.max(scores) + ak.sum(x[-1] * before[-1]) + least[0]


PROGRAMS = {
    "best path": (best_path, POINTS),
    "counters": (counters, np.linspace(0.2, 1.0, 4)),
    "running sums": (running, POINTS),
    "passed on": (passed_on, POINTS),
    "lookups": (lookups, POINTS),
    "soft warping": (soft_warping, POINTS),
    "line search": (line_search, np.arange(1.0, 5.0)),
    "normalised": (normalised, SQUARE),
    "branches": (branches, np.array([0.3, -0.2])),
    "riccati": (riccati, np.eye(4)),
    "backward sums": (backward_sums, POINTS),
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_loops_run_in_native_code_with_the_results_of_eager_operations(name: str) -> None:
    loss, x = PROGRAMS[name]
    compiled = ak.compile(ak.value_and_grad(loss))
    compiled(x)
    build_kernels_now(compiled)
    assert all(step.loop.run_native is not None for step in compiled.plan.loops)
    for given in (x, x * 0.9, x):
        for found, expected in zip(compiled(given), ak.value_and_grad(loss)(given), strict=True):
            np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-9, atol=1e-12)


def test_a_loop_goes_on_natively_after_one_in_which_lapack_failed() -> None:
    """The steps run again one by one, so the error is that of the step, and nothing stays behind."""

    def loss(x: Any) -> Any:
        def step(p: Any, _: Any) -> Any:
            return p + 0.1 * ak.cholesky(p), None

        return ak.sum(ak.scan(step, x, length=4)[0])

    compiled = ak.compile(loss)
    good, bad = np.eye(3), np.diag([1.0, -1.0, 1.0])
    expected = compiled(good).numpy()
    build_kernels_now(compiled)
    assert all(step.loop.run_native is not None for step in compiled.plan.loops)
    for _ in range(2):
        assert compiled(good).numpy() == pytest.approx(expected, rel=1e-12)
        with pytest.raises(ak.AutodiffError, match="positive definite"):
            compiled(bad)


def is_unit(plan: Any, loop: Any) -> bool:
    """Whether a plan runs a loop among its native units, without a call of Python."""
    return any(value is loop.run_native for value in plan.kernel_plan.env.values())


def test_a_loop_that_may_fail_is_a_unit_of_the_loop_around_it() -> None:
    """Its failure reaches the outermost plan, which runs the steps from Python: they raise the error of theirs."""

    def loss(x: Any) -> Any:
        def outer(p: Any, _: Any) -> Any:
            def inner(q: Any, _: Any) -> Any:
                return q + 0.1 * ak.cholesky(q), None

            return ak.scan(inner, p, length=2)[0] - 0.4 * np.eye(3), None

        return ak.sum(ak.scan(outer, x, length=3)[0] ** 2)

    compiled = ak.compile(ak.value_and_grad(loss))
    good, late = np.eye(3), 0.4 * np.eye(3)  # whose third step fails
    expected = compiled(good)
    build_kernels_now(compiled)
    assert all(is_unit(compiled.plan, step.loop) for step in compiled.plan.loops)
    assert compiled.plan.kernel_plan.generator.needs_python is False
    for _ in range(2):
        for found, wanted in zip(compiled(good), expected, strict=True):
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-12)
        with pytest.raises(ak.AutodiffError, match="positive definite"):
            compiled(late)


def test_an_array_that_loops_read_in_another_order_is_copied_once() -> None:
    """The steps read contiguous memory: so the loops of a product with a transposed matrix are units."""
    compiled = ak.compile(ak.value_and_grad(normalised))
    expected = compiled(SQUARE)
    build_kernels_now(compiled)
    assert all(is_unit(compiled.plan, step.loop) for step in compiled.plan.loops)
    for found, wanted in zip(compiled(SQUARE), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((4, 5), 0), ((4, 5), 1), ((4, 5), None), ((2, 3, 4), 1), ((2, 3, 4), -3), ((7,), 0), ((7,), None)],
)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_of_equal_entries_or_the_first_nan_is_found(dtype: Any, shape: Any, axis: Any, name: str) -> None:
    x = RNG.integers(0, 4, shape).astype(dtype)
    with_nan = x.copy()
    with_nan.flat[[3, 5]] = np.nan
    for keepdims in (False, True):
        compiled = ak.compile(lambda x, k=keepdims: (getattr(ak, name)(x * 2.0, axis=axis, keepdims=k), x * 2.0 + 1.0))
        compiled(x)
        build_kernels_now(compiled)
        assert not compiled.plan.kernel_plan.generator.needs_python
        for given in (x, with_nan, -x):
            found, expected = compiled(given)[0], getattr(np, name)(given * 2, axis=axis, keepdims=keepdims)
            np.testing.assert_array_equal(np.asarray(found), expected)
            assert found.dtype == np.int64


def test_an_entry_padded_to_one_entry_is_a_number() -> None:
    """As the gradient of x[::2] for one entry is: an array cannot be written to the cell of a number."""

    def f(x: Any, y: Any) -> Any:
        return ak.value_and_grad(lambda x: ak.sum(ak.sin(x * x)[::2] * ak.sum(y) + x))(x), y * 2.0

    compiled = ak.compile(f)
    x, y = np.array([0.3]), np.linspace(0.0, 1.0, 5)
    compiled(x, y)
    build_kernels_now(compiled)
    for found, expected in zip(ak.pytree.flatten(compiled(x, y)), ak.pytree.flatten(f(x, y)), strict=True):
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12)


def test_rows_of_a_plain_argument_are_read_in_native_loops() -> None:
    """Without a tape, the argument is a NumPy array, which is indexed as a tensor is."""

    def f(x: Any, numbers: Any) -> Any:
        return ak.scan(lambda c, k: (0.5 * c + x[k], c), x[0] * 0.0, numbers)

    compiled = ak.compile(f)
    numbers = np.array([2, -1, 0, 5])
    compiled(POINTS, numbers)
    build_kernels_now(compiled)
    assert all(step.loop.run_native is not None for step in compiled.plan.loops)
    for found, expected in zip(compiled(POINTS, numbers), f(POINTS, numbers), strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-12)


def test_a_row_number_out_of_range_raises_in_a_native_loop() -> None:
    def loss(x: Any, numbers: Any) -> Any:
        return ak.sum(ak.scan(lambda c, k: (c + x[k], None), x[0] * 0.0, numbers)[0])

    compiled = ak.compile(ak.value_and_grad(loss))
    x, good, bad = np.linspace(0.0, 1.0, 6).reshape(3, 2), np.array([2, -3, 0]), np.array([1, 3, 0])
    compiled(x, good)
    build_kernels_now(compiled)
    assert all(step.loop.run_native is not None for step in compiled.plan.loops)
    for _ in range(2):
        for found, expected in zip(compiled(x, good), ak.value_and_grad(loss)(x, good), strict=True):
            np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-12)
        with pytest.raises(ak.errors.RangeError, match="3"):
            compiled(x, bad)


def test_a_plan_keeps_the_native_form_of_a_loop_that_was_built_twice() -> None:
    """Two threads may build the same kernels. The addresses in the plan are those of the first form."""
    compiled = ak.compile(ak.value_and_grad(backward_sums))
    expected = compiled(POINTS)
    build_kernels_now(compiled)
    for step in compiled.plan.loops:
        step.build()
    rooms = [np.full(n, np.nan) for n in range(1, 400)]  # over memory that nobody keeps
    for found, wanted in zip(compiled(POINTS), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-9)
    assert rooms


@pytest.mark.parametrize("shape", [(5,), (1,), ()])
def test_results_of_comparisons_are_boolean(shape: tuple[int, ...]) -> None:
    """Also of a program of single numbers."""

    def f(x: Any) -> Any:
        total = ak.sum(ak.tanh(x) * 2.0 + ak.sin(x) * x)
        return total > 1.0, ak.logical_and(total > 1.0, total < 3.0), ak.where(total > 1.0, x, -x), total, x > 0.5

    compiled = ak.compile(f)
    x = np.full(shape, 0.7)
    compiled(x)
    build_kernels_now(compiled)
    for given in (x, -x, x * 0.25):
        for found, expected in zip(compiled(given), f(ak.constant(given)), strict=True):
            assert np.asarray(found).dtype == expected.dtype
            np.testing.assert_allclose(np.asarray(found), expected.numpy(), rtol=1e-12)


def test_integers_are_compared_exactly() -> None:
    """In float64 neighbours above 2 ** 53 are equal."""

    def f(x: Any, k: Any, m: Any) -> Any:
        return x * 2.0, k == m, k < m, k + 1 == m, k > 2**53, ak.where(k % 2 == 0, x, -x)

    compiled = ak.compile(f)
    x, k, m = np.linspace(0.0, 1.0, 5), np.array(2**53), np.array(2**53 + 1)
    compiled(x, k, m)
    build_kernels_now(compiled)
    for given in ((x, k, m), (x, m, k), (x, m, m)):
        for found, expected in zip(compiled(*given), f(*map(ak.constant, given)), strict=True):
            np.testing.assert_array_equal(np.asarray(found), expected.numpy())


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.float32, np.float64])
def test_elementwise_functions_without_kernels_are_those_of_numpy(dtype: Any) -> None:
    def f(x: Any, y: Any, z: Any) -> Any:
        return (
            z + 1.0,
            np.remainder(x, y),
            x // y,
            np.hypot(x, y),
            np.copysign(x, y),
            x + y[1],
            np.fmod(x, 3),
            y[:1] * 2,
        )

    compiled = ak.compile(f)
    x, y, z = np.arange(12).astype(dtype), np.arange(1, 13)[::-1].astype(dtype), np.linspace(0.0, 1.0, 12)
    compiled(x, y, z)
    build_kernels_now(compiled)
    for given in ((x, y, z), (y, x + dtype(1), z)):
        for found, expected in zip(compiled(*given), f(*given), strict=True):
            assert np.asarray(found).dtype == np.asarray(expected).dtype
            np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_float32_number_is_compared_with_a_python_number_in_float32(shape: tuple[int, ...]) -> None:
    def f(x: Any, y: Any) -> Any:
        return x == 0.1, x * 1.0 < 0.1, ak.where(x >= 0.1, y, -y), ak.logical_and(x == 0.1, y[0] == 1.0)

    x, y = ak.constant(np.full(shape, 0.1, np.float32)), np.linspace(1.0, 2.0, 5)
    compiled = ak.compile(f)
    compiled(x, y)
    build_kernels_now(compiled)
    for found, expected in zip(compiled(x, y), f(x, ak.constant(y)), strict=True):
        assert np.asarray(found).dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(found), expected.numpy())


def test_a_negative_power_of_integers_raises_as_in_numpy() -> None:
    compiled = ak.compile(lambda x, k, m: (x * 2.0, np.power(k, m)))
    x, k, m = np.linspace(0.0, 1.0, 5), np.array([2, 3]), np.array([3, 2])
    compiled(x, k, m)
    build_kernels_now(compiled)
    assert compiled(x, k, m)[1].tolist() == [8, 9]
    with pytest.raises(ValueError, match="negative integer powers"):
        compiled(x, k, -m)
