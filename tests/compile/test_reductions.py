"""Reductions over any axes inside kernels: values and gradients against the eager ones."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.compile.passes.fusion import FusionGroup
from autodiff_kit.compile.run.kernel_loader import load_kernel

from .python_kernels import build, compiler, plans

SHAPES = [(4, 3), (3, 4, 2), (2, 3, 2, 4), (5, 1, 3), (1, 4), (2, 1, 3, 1)]
REDUCTIONS = {"sum": ak.sum, "mean": ak.mean, "max": ak.max, "min": ak.min}


def subsets(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    axes = range(len(shape))
    return list(chain.from_iterable(combinations(axes, k) for k in range(1, len(shape) + 1)))


def assert_agrees(function: Any, *xs: Any, how: Any = compiler, rtol: float | None = None) -> Any:
    """Compile a function, and compare its results with the eager ones; returns its plan."""
    given = [ak.constant(x) for x in xs]
    compiled = ak.compile(function)
    with np.errstate(all="ignore"):
        expected = function(*given)
        compiled(*given)
        build(compiled, how)
        found = compiled(*given)
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        close = rtol or (1e-12 if a.dtype == np.float64 else 2e-5)
        np.testing.assert_allclose(a, b, rtol=close, atol=close)
    return plans(compiled)[0].kernel_plan


def leaves(nest: Any) -> list[Any]:
    if isinstance(nest, (tuple, list)):
        return [x for part in nest for x in leaves(part)]
    return [np.asarray(nest)]


def kernels(plan: Any) -> list[FusionGroup]:
    return [u for u in plan.units if isinstance(u, FusionGroup)]


def draw(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def normalized(x: Any, axes: tuple[int, ...]) -> Any:
    centred = x - x.mean(axes, keepdims=True)
    return centred / ak.sqrt((centred * centred).mean(axes, keepdims=True) + 0.1)


def shapes_and_dtypes(shapes: Any) -> list[Any]:
    """All pairs; in float32 the first shape alone, but for `make test-all`: loops are the same in both dtypes."""
    slow = [pytest.mark.slow]
    return [
        pytest.param(shape, dtype, id=f"{shape}-{dtype}", marks=slow if dtype == "f4" and shape != shapes[0] else [])
        for dtype in ("f4", "f8")
        for shape in shapes
    ]


@pytest.mark.parametrize(("shape", "dtype"), shapes_and_dtypes(SHAPES))
def test_every_reduction_over_all_sets_of_axes(shape: tuple[int, ...], dtype: str) -> None:
    x = draw(shape, dtype)
    for axes in subsets(shape):
        for name, reduce in REDUCTIONS.items():
            plan = assert_agrees(lambda x, r=reduce, a=axes: (r(x * 2, a), r(x, a, keepdims=True) * 3 + x), x)
            text = str(plan).partition("\n\n")[0]
            assert f"np.{name.replace('mean', 'sum')}(" not in text, "the reduction is a NumPy call"


@pytest.mark.parametrize(("shape", "dtype"), shapes_and_dtypes(SHAPES[:3]))
def test_gradients_through_reductions_over_all_sets_of_axes(shape: tuple[int, ...], dtype: str) -> None:
    x, w = draw(shape, dtype), draw(shape, dtype, 1)
    for axes in subsets(shape):

        def loss(x: Any, w: Any, axes: tuple[int, ...] = axes) -> Any:
            extremes = ak.max(x * w, axes, keepdims=True) - ak.min(x + w, axes, keepdims=True)
            return (normalized(x, axes) * w + extremes + ak.logsumexp(x, axes, keepdims=True)).sum()

        assert_agrees(ak.value_and_grad(loss, (0, 1)), x, w)


@pytest.mark.parametrize(("shape", "axes"), [((6, 40, 33), (0, 1)), ((6, 40, 33), (1,)), ((5, 7, 6, 4), (0, 2, 3)),
                                             ((40, 3000), (0,)), ((3, 700, 130), (1,)), ((4, 5, 3), (1,)),
                                             ((3, 5000), (1,)), ((9, 4, 7, 5), (1, 3))])  # fmt: skip
def test_machine_code_agrees(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    dtype = "f8" if len(axes) > 1 else "f4"

    def loss(x: Any, w: Any) -> Any:
        weights = ak.exp(x - ak.max(x, axes, keepdims=True))
        weights = weights / weights.sum(axes, keepdims=True)
        return (normalized(x, axes) * w + weights * ak.min(w, axes, keepdims=True)).mean() + ak.max(w)

    x, w = draw(shape, dtype), draw(shape, dtype, 1)
    assert_agrees(ak.value_and_grad(loss, (0, 1)), x, w, how=load_kernel, rtol=2e-4 if dtype == "f4" else 1e-9)


@pytest.mark.parametrize("how", [compiler, load_kernel], ids=["plain", "native"])
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_of_nan_infinity_ties_and_zeros(name: str, how: Any) -> None:
    rows = [[1, 1, 0.5, 1], [np.nan, 2, np.nan, 3], [np.inf, -np.inf, np.inf, 0], [-0.0, 0.0, -0.0, 0.0],
            [-np.inf] * 4, [5e-324, -5e-324, 0, -0.0]]  # fmt: skip
    x = np.array([rows, rows[::-1]])
    extreme = REDUCTIONS[name]
    for axes in subsets(x.shape):

        def both(x: Any, axes: tuple[int, ...] = axes) -> Any:
            y = extreme(x, axes, keepdims=True)
            return y, ak.where(x == y, 1.0, 2.0), ak.grad(lambda x: (extreme(x, axes) * 3).sum())(x)

        assert_agrees(both, x, how=how, rtol=1e-300)


def test_ties_share_the_gradient() -> None:
    x = np.array([[2.0, 1, 2], [2, 0, 2], [1, 1, 2]])
    assert_agrees(ak.grad(lambda x: ak.max(x, 0).sum()), x)
    found = ak.compile(ak.grad(lambda x: ak.max(x, 0).sum()))
    found(ak.constant(x))
    build(found)
    expected = [[1 / 2, 1 / 2, 1 / 3], [1 / 2, 0, 1 / 3], [0, 1 / 2, 1 / 3]]
    np.testing.assert_allclose(found(ak.constant(x)).numpy(), expected, rtol=1e-15)


@pytest.mark.parametrize("axes", subsets((3, 4, 5)), ids=str)
def test_inputs_whose_memory_is_not_in_order(axes: tuple[int, ...]) -> None:
    x = draw((5, 4, 6), "f8")

    def run(x: Any) -> Any:
        part = ak.transpose(x, (2, 1, 0))[::2]
        return normalized(part, axes), ak.max(part * part[:, ::-1], axes)

    assert_agrees(run, x)


def test_empty_arrays_and_single_numbers() -> None:
    for shape, axes in [((0, 3), (0,)), ((3, 0), (0,)), ((), ()), ((1,), (0,)), ((1, 1), (0, 1))]:
        x = np.ones(shape)
        assert_agrees(lambda x, a=axes: (ak.sum(x * 2, a), ak.grad(lambda x: (ak.sum(x, a) ** 2).sum())(x)), x)


def test_a_normalization_and_its_gradient_are_one_kernel() -> None:
    x, w = draw((4, 6, 5, 3), "f4"), draw((4, 6, 5, 3), "f4", 1)
    plan = assert_agrees(ak.grad(lambda x, w: (normalized(x, (1, 2)) * w).sum()), x, w)
    (kernel,) = kernels(plan)
    assert kernel.row_axes == {1, 2}


def test_reductions_of_different_axes_that_are_read_are_two_kernels() -> None:
    x = draw((4, 5), "f8")
    plan = assert_agrees(lambda x: (x - x.max(0, keepdims=True), x - x.max(1, keepdims=True)), x)
    assert len(kernels(plan)) == 2


def test_equal_constants_of_numpy_are_one_node() -> None:
    x = draw((4, 5, 3), "f4")
    plan = assert_agrees(lambda x: (x.mean((0, 1)) * 2, x.mean((0, 1)) + 1), x)
    assert sum(n.op == "divide" for u in kernels(plan) for n in u.nodes) == 1


@pytest.mark.parametrize("how", [compiler, load_kernel], ids=["plain", "native"])
def test_a_scan_with_a_maximum_runs_in_native_code(how: Any) -> None:
    def loss(moves: Any, first: Any, scores: Any) -> Any:
        step = lambda alpha, seen: (ak.max(alpha[:, None] + moves, 0) + seen, None)  # noqa: E731
        return ak.max(ak.scan(step, first, scores)[0], 0)

    gradient, given = ak.value_and_grad(loss, (0, 1)), [draw((4, 4), "f4"), draw((4,), "f4", 1), draw((6, 4), "f4", 2)]
    assert_agrees(gradient, *given, how=how)
    compiled = ak.compile(gradient)
    compiled(*map(ak.constant, given))
    build(compiled, how)
    loops = compiled.plan.loops
    assert loops
    assert all(steps.loop.run_native is not None for steps in loops)
