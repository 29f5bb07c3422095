"""A constant mask that is the same everywhere leaves constants in the graph; kernels are built for what follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit import kernels

from .python_kernels import build

pytestmark = pytest.mark.skipif(not kernels.enabled(), reason="without numba there are no kernels")

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    name: getattr(ak, name)
    for name in (
        "exp", "expm1", "log", "log1p", "tanh", "sigmoid", "sin", "cos", "sqrt", "square", "reciprocal", "abs", "sinh",
        "erf", "sinc",
    )
} | {
    "softplus": ak.nn.softplus, "gelu": ak.nn.gelu, "relu": ak.nn.relu, "elu": ak.nn.elu,
    "logaddexp": lambda x: ak.logaddexp(x, 0.5), "maximum": lambda x: ak.maximum(x, 0.5),
    "power": lambda x: x**2.5, "softmax": ak.nn.softmax, "logsumexp": ak.logsumexp, "sum": ak.sum,
}  # fmt: skip

MASKS: dict[str, Callable[[Any], Any]] = {
    "nowhere": lambda x: ak.where(np.zeros((3, 1), bool), x, 0.5),
    "everywhere": lambda x: ak.where(np.ones((3, 1), bool), x, 0.5),
    "one": lambda x: ak.where(np.array([False]), x, np.full(1, 0.5, x.dtype)),
    "above the diagonal": lambda x: ak.triu(x, 1) + 0.5,
    "below": lambda x: 0.5 - ak.tril(x, -3),
}


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_kernels_are_built_behind_a_constant_mask(name: str) -> None:
    def values_and_slopes(x: Any) -> list[Any]:
        values = [lambda x, mask=mask: FUNCTIONS[name](mask(x)) + x for mask in MASKS.values()]
        return [f(x) for f in values] + [ak.grad(lambda x, f=f: ak.sum(f(x) * x))(x) for f in values]

    for dtype in ("float32", "float64"):
        x = ak.constant(np.array([[0.25], [0.75], [1.5]]), dtype)
        compiled, expected = ak.compile(values_and_slopes), values_and_slopes(x)
        found = [compiled(x)]
        build(compiled, None)
        found.append(compiled(x))
        for answers in found:
            for y, e in zip(answers, expected, strict=True):
                assert y.dtype == e.dtype
                np.testing.assert_allclose(y.numpy(), e.numpy(), rtol=8 * np.finfo(dtype).eps)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_first_calls_warn_no_more_than_kernels() -> None:
    """They are calls of NumPy: eager logsumexp of nothing but -inf, as in an alignment's sum, warns of no logarithm."""
    compiled = ak.compile(ak.grad(lambda x: ak.sum(ak.where(x > -1.0, ak.logsumexp(x), 0.0))))
    for _ in range(2):
        assert compiled(np.full(3, -np.inf)).tolist() == [0.0, 0.0, 0.0]
        build(compiled, None)
