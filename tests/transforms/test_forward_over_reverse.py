"""Hessian-vector products by forward-over-reverse: equal to jvp of grad, with one run of the function."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.core.operation import v
from autodiff_kit.transforms.dual import Dual, NeedsTensorsError
from autodiff_kit.transforms.forward_accumulator import TangentNode
from autodiff_kit.transforms.forward_over_reverse import ForwardOverReverse

X, T = np.array([0.3, -0.7, 1.1]), np.array([1.0, 2.0, -1.0])


def pushed(f: Any, x: Any, t: Any) -> Any:
    """The gradient, recorded while an outer accumulator is open."""
    return ak.jvp(ak.grad(f), (x,), (t,))[1].numpy()


def _inner_tape(x: Any) -> Any:
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = (ak.sin(x) * x).sum()
    return (tape.gradient(y, x) ** 2).sum()


def _inner_push(x: Any) -> Any:
    return (ak.jvp(ak.tanh, (x,), (x * x,))[1] * x).sum()


@ak.custom_gradient
def _cube(x: Any) -> Any:
    return x**3, lambda g: g * 3.0 * x**2


@ak.custom_gradient
def _cube_both(x: Any) -> Any:
    return x**3, lambda g: g * 3.0 * x**2, lambda t: t * 3.0 * x**2


def _hooked(x: Any) -> Any:
    y = x * x
    y.register_hook(lambda g: g * x)
    return (y * y).sum()


def _overridden(x: Any) -> Any:
    with ak.gradient_override_map({"Sin": "CosineOfTwice"}):
        return (ak.sin(x) * x).sum()


@ak.register_gradient("CosineOfTwice")
def _twice(g: Any, _y: Any, x: Any) -> Any:
    return g * ak.cos(2.0 * x)


FUNCTIONS = {
    "a tape inside": _inner_tape,
    "an accumulator inside": _inner_push,
    "a product inside": lambda x: (ak.hvp(lambda z: ak.prod(z) * ak.sum(z), x, x) * x).sum(),
    "a custom gradient": lambda x: (_cube(x) * x).sum(),
    "a custom gradient with both rules": lambda x: (_cube_both(x) * x).sum(),
    "a registered gradient": _overridden,
    "many inputs": lambda x: (ak.concat([x * x, x, ak.stack([x[0], x[1]])]) ** 3).sum(),
    "a join of constants": lambda x: (ak.stack([x, ak.constant(T)]) ** 3).sum(),
    "numbers": lambda x: x[0] * ak.exp(x[1] * x[2]) / (x[0] + 2.0),
    "a variable": lambda x: (x * x * ak.Variable(T)).sum(),
    "a stop": lambda x: (x * ak.stop_gradient(x * x) * x).sum(),
    "rounding": lambda x: (ak.floor(x) * x * x).sum(),
    "a branch": lambda x: (x * x * x).sum() if x[0] > 0 else x.sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_product_equals_the_gradient_pushed_forward(name: str) -> None:
    """For any operations inside the function."""
    f = FUNCTIONS[name]
    np.testing.assert_allclose(ak.hvp(f, X, T).numpy(), pushed(f, X, T), rtol=1e-13, atol=1e-13)


def test_a_product_passes_hooks() -> None:
    """The gradient of y * y at y = x² is 2y, times x by the hook, times 2x by the square: 4x⁴."""
    np.testing.assert_allclose(ak.hvp(_hooked, X, T).numpy(), 16 * X**3 * T, rtol=1e-13)


def test_python_float_errors_fall_back_to_numpy() -> None:
    """An infinite derivative, and one that is nan."""
    with np.errstate(all="ignore"):
        assert ak.hvp(lambda x: ak.sqrt(x) * ak.sqrt(x), 0.0, 1.0).dtype == np.float64
        assert np.isnan(float(ak.hvp(lambda x: 1.0 / (x * x), 0.0, 1.0)))
        assert np.isnan(float(pushed(lambda x: 1.0 / (x * x), 0.0, 1.0)))


def test_the_rules_of_a_network_never_ask_for_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    """They run on dual numbers, and the backward pass is not recorded."""

    def refuse(*_: Any) -> Any:
        raise AssertionError("a rule was run on tensors")

    monkeypatch.setattr(ForwardOverReverse, "_contributions_from_tensors", refuse)
    w = ak.constant(np.linspace(-1.0, 1.0, 9).reshape(3, 3))
    functions = {
        "vector": lambda x: (ak.tanh(ak.tanh(x @ w + x) @ w) ** 2).sum(),
        "matrix": lambda x: ak.nn.softmax(ak.nn.relu(ak.reshape(x, (3, 1)) @ ak.reshape(x, (1, 3))) @ w).max(),
        "joined": lambda x: ak.prod(ak.concat([x, x * x])) / ak.mean(ak.exp(x), axis=0),
    }
    for f in functions.values():
        np.testing.assert_allclose(ak.hvp(f, X, T).numpy(), pushed(f, X, T), rtol=1e-12, atol=1e-14)


AT_INDICES = {
    "rows": lambda x, i: ak.tanh(x)[i],
    "pairs": lambda x, i: ak.tanh(x)[np.arange(4), i],
    "take_along_axis": lambda x, i: ak.take_along_axis(ak.tanh(x), i[:, None], 1),
    "segment_sum": lambda x, i: ak.segment.segment_sum(ak.tanh(x), i, 3)[1],
    "embedding": lambda x, i: ak.nn.embedding(ak.tanh(x), i),
    "sort": lambda x, _: ak.sort(ak.tanh(x))[:, 0],
    "topk": lambda x, _: ak.topk(ak.tanh(x), 2)[0],
}


@pytest.mark.parametrize("name", AT_INDICES)
def test_a_traced_product_reads_at_indices_that_are_arguments(name: str) -> None:
    # the cotangent of a sum is an array of numbers, and only the index is symbolic
    def product(x: Any, i: Any) -> Any:
        return ak.hvp(lambda x: ak.sum(AT_INDICES[name](x, i)), (x,), (2.0 * x,))

    compiled = ak.compile(product)
    for seed in (0, 1):
        r = np.random.default_rng(seed)
        x, i = r.normal(size=(4, 3)), r.integers(0, 3, 4)
        np.testing.assert_allclose(compiled(x, i), product(x, i), rtol=1e-14)


AT_A_POINT = {
    "a number": lambda z: z[0] ** 2 * z[1] * ak.exp(z[2]),
    "a sum": lambda z: ak.sum(ak.tanh(z)),
    "a power": lambda z: z[0] ** z[1],
    "an assignment to a part": lambda z: ak.sum(z.at[0].set(z[1] ** 2) ** 2),
    "a loop": lambda z: ak.scan(lambda c, a: (c * ak.sin(a), None), z[0], z)[0],
    "products of matrices": lambda z: ak.sum(ak.solve(ak.outer(z, z) + np.eye(3), z)),
}


@pytest.mark.parametrize("name", AT_A_POINT)
def test_directions_without_numbers_at_a_point_with_numbers(name: str) -> None:
    """Rows of the Hessian by vmap over directions, a traced direction, and both."""
    f, x, directions = AT_A_POINT[name], np.array([0.3, 0.7, 1.2]), np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
    rows = directions @ ak.hessian(f)(x).numpy()
    product = ak.vmap(lambda d: ak.hvp(f, x, d))
    np.testing.assert_allclose(product(directions), rows, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ak.compile(product)(directions), rows, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ak.compile(lambda d: ak.hvp(f, x, d))(directions[0]), rows[0], rtol=1e-12, atol=1e-12)


def test_a_dual_number_does_not_lose_its_tangent_silently() -> None:
    """Arrays cannot hold the tangent, so NumPy's functions raise; functions that only use shapes work."""
    x = Dual(X, T)
    assert (np.ndim(x), np.shape(x)) == (1, (3,))
    for wrong in (np.asarray, np.sin, np.cumsum, ak.sin):
        with pytest.raises((NeedsTensorsError, TypeError)):
            wrong(x)
    y = v.sin(x) / x - 2.0 / x
    np.testing.assert_allclose(y.tangent, T * (np.cos(X) * X - np.sin(X) + 2.0) / X**2)


def _ours() -> int:
    """The number of objects of the kinds that a product creates; other threads create other kinds."""
    return sum(type(x) in (Dual, TangentNode, ForwardOverReverse, ak.Tensor) for x in gc.get_objects())


@pytest.mark.parametrize("where", [X, 0.5])
def test_no_garbage_waits_for_the_collector(where: Any) -> None:
    """Objects of a product or a push are freed when it returns."""

    def run(times: int) -> None:
        for _ in range(times):
            ak.hvp(lambda x: (ak.exp(x) * x).sum(), where, where)
            ak.jvp(lambda x: (ak.exp(x) * x).sum(), (where,), (where,))

    run(5)
    gc.collect()
    gc.disable()
    try:
        before = _ours()
        run(20)
        assert _ours() - before < 20
    finally:
        gc.enable()
