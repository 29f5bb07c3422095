"""Calls of LAPACK in compiled plans: native units, with the values and errors of the eager operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.run.execution_plan import build_kernels_now
from autodiff_kit.errors import StructureError

RNG = np.random.default_rng(4)


def kernels_of(f: Any, *args: Any) -> tuple[Any, str]:
    """A compiled function that runs in kernels, and the text of its plan."""
    compiled = ak.compile(f)
    compiled(*args)
    build_kernels_now(compiled)
    return compiled, "".join(str(plan) for plans in compiled._plans.values() for _, plan in plans)


def value_and_slopes(f: Any, count: int) -> Any:
    loss = lambda *a: (f(*a) ** 2).sum()  # noqa: E731
    return lambda *a: (f(*a) * 1.0, *ak.grad(loss, tuple(range(count)))(*a))


CALLS: dict[str, tuple[Any, str]] = {
    "solve": (ak.solve, "getrs"),
    "cholesky": (lambda a, b: ak.cholesky(a @ a.T) @ b, "potrf"),
    "upper": (ak.solve_triangular, "trsm"),
    "lower": (lambda a, b: ak.solve_triangular(a, b, lower=True), "trsm"),
    "transposed": (lambda a, b: ak.solve_triangular(a, b, transpose=True), "trsm"),
    "twice transposed": (lambda a, b: ak.solve_triangular(a.T, b, lower=True, transpose=True), "trsm"),
    "unit": (lambda a, b: ak.solve_triangular(a, b, unit_diagonal=True), "trsm"),
    "cholesky_solve": (lambda a, b: ak.cholesky_solve(ak.cholesky(a @ a.T), b), "trsm"),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("n", "columns", "dtype"),
    [
        # In float32 the same routines have another first letter: one size shows it, but for `make test-all`.
        pytest.param(*sizes, dtype, marks=[pytest.mark.slow] if dtype is np.float32 and sizes != (5, 3) else [])
        for dtype in (np.float64, np.float32)
        for sizes in ((2, 1), (5, 3), (5, 5), (70, 3), (70, 70))
    ],
)
def test_native_calls_give_the_eager_values(name: str, dtype: Any, n: int, columns: int) -> None:
    f, routine = CALLS[name]
    a = (RNG.normal(size=(n, n)) / n + 2 * np.eye(n)).astype(dtype)
    args = ak.constant(a), ak.constant(RNG.normal(size=(n, columns)).astype(dtype))
    compiled, plan = kernels_of(value_and_slopes(f, 2), *args)
    assert routine in plan or columns == 70  # many columns of a large triangle are solved by blocks
    tolerance = 1e-10 if dtype == np.float64 else 1e-3
    for found, expected in zip(compiled(*args), value_and_slopes(f, 2)(*args), strict=True):
        scale = np.abs(expected.numpy()).max()
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda a, b: ak.solve(a * 1.0, b), "singular matrix. Use ak.pinv"),
        (lambda a, b: ak.solve_triangular(a * 1.0, b), "has a 0"),
        (lambda a, b: ak.cholesky(a * 2.0) @ b, "eigenvalues must be above 0"),
    ],
    ids=["solve", "solve_triangular", "cholesky"],
)
def test_a_native_call_that_fails_raises_the_eager_error(f: Any, text: str) -> None:
    """And the next call, with numbers that have a result, gives it."""
    good, bad, b = (ak.constant(x) for x in (np.diag([1.0, 2.0]), np.diag([1.0, 0.0]), np.ones(2)))
    compiled, plan = kernels_of(f, good, b)
    assert "if failed" in plan
    for _ in range(2):
        with pytest.raises(StructureError, match=text):
            compiled(bad, b)
        np.testing.assert_allclose(compiled(good, b).numpy(), f(good, b).numpy(), rtol=1e-14)


def test_a_variable_keeps_its_value_where_a_call_fails() -> None:
    w = ak.Variable(np.diag([4.0, 9.0]))

    def step(shift: Any) -> Any:
        w.assign(ak.cholesky(w + shift))
        return w.sum()

    compiled, _ = kernels_of(step, ak.constant(np.zeros((2, 2))))
    compiled(ak.constant(np.zeros((2, 2))))
    before = w.numpy().copy()
    with pytest.raises(StructureError, match="not positive definite"):
        compiled(ak.constant(np.diag([0.0, -100.0])))
    np.testing.assert_array_equal(w.numpy(), before)


def test_a_constant_matrix_and_stacks_are_left_to_python() -> None:
    """They are no single matrices in the memory of the plan."""
    a = RNG.normal(size=(3, 3)) + 4 * np.eye(3)
    b, stack = ak.constant(RNG.normal(size=(3, 2))), ak.constant(np.stack([a, 2 * a]))
    for f, args in ((lambda b: ak.solve(a, b) + 1, (b,)), (lambda s, b: ak.solve(s * 1.0, b) + 1, (stack, b))):
        compiled, plan = kernels_of(f, *args)
        assert "getrs" not in plan
        np.testing.assert_allclose(compiled(*args).numpy(), f(*args).numpy(), rtol=1e-12)


def test_triangles_and_diagonals_are_part_of_kernels() -> None:
    """No call between kernels for them, in any dtype and at any offset."""
    x = ak.constant(RNG.normal(size=(2, 3, 4)))

    def f(x: Any) -> Any:
        return [ak.exp(g(x)) for k in (-1, 0, 2) for g in (lambda x, k=k: ak.tril(x, k), lambda x, k=k: ak.triu(x, k),
                                                           lambda x, k=k: ak.diagonal(x, k, 1, 2))]  # fmt: skip

    compiled, plan = kernels_of(f, x)
    assert "fn" not in plan.partition("return")[0]
    for found, expected in zip(compiled(x), f(x), strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-14)


def test_a_step_with_python_between_its_units_is_no_native_loop() -> None:
    """Its units are as many as its nodes: three of LAPACK make up for the two that are none."""

    def loop(a: Any, xs: Any) -> Any:
        return ak.scan(lambda carry, x: (carry * 0.5, ak.solve_triangular(carry, x) + ak.sort(x)), a, xs)[1]

    a, xs = np.array([[4.0, 1.0], [1.0, 3.0]]), RNG.normal(size=(3, 2, 2))
    compiled, _ = kernels_of(loop, a, xs)
    (step,) = compiled.plan.loops
    assert len(step.kernel_plan.generator.units) == len(step.kernel_plan.units)
    assert step.loop.run_native is None
    assert compiled(a, -xs).numpy() == pytest.approx(loop(a, -xs).numpy())
    with pytest.raises(ValueError, match="singular"):
        compiled(np.diag([1.0, 0.0]), xs)
