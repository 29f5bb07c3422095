"""Parameters that are tensors on a tape: they get their gradient, or an error says that they have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.errors import ArgumentError

X = np.array([-1.3, -0.4, 0.33, 1.7])
ROWS = np.outer(X, [1.0, 0.5, -2.0])
WEIGHTS = np.array([0.3, -0.7, 1.1, 0.4])
relax = ak.relax

WITH_DERIVATIVE: dict[str, tuple[Callable[[Any], Any], float]] = {
    "leaky_relu": (lambda p: ak.nn.leaky_relu(X, p), 0.2),
    "huber": (lambda p: ak.nn.huber(X, 0.0 * X, p), 0.6),
    "clip": (lambda p: ak.clip(X, -p, p), 0.5),
    "soft_step": (lambda p: relax.soft_step(X, p), 0.3),
    "soft_sign": (lambda p: relax.soft_sign(X, p), 0.3),
    "soft_floor": (lambda p: relax.soft_floor(X, p), 0.3),
    "soft_floor of a number": (lambda p: relax.soft_floor(0.8, p) * np.ones(4), 0.3),
    "soft_round": (lambda p: relax.soft_round(X, p, steps=(-3, 3)), 0.3),
    "piecewise_linear_floor": (lambda p: relax.piecewise_linear_floor(X, p), 0.9),
    "piecewise_linear_step": (lambda p: relax.piecewise_linear_step(X, p), 0.9),
    "filtered_floor": (lambda p: relax.filtered_floor(X, p, "cosine"), 0.9),
    "filtered_step": (lambda p: relax.filtered_step(X, p), 0.9),
}
WITHOUT: dict[str, Callable[[Any], Any]] = {
    "slopes": lambda p: ak.slopes(X, p),
    "gradient": lambda p: np.gradient(ak.constant(X), p),
    "var": lambda p: ak.var(X, ddof=p),
    "std": lambda p: ak.std(X, correction=p),
    "vector_norm": lambda p: ak.vector_norm(X, ord=p),
    "nan_to_num": lambda p: ak.nan_to_num(X, p),
    "pad": lambda p: ak.pad(X, 1, constant_values=p),
    "pad with a pair": lambda p: ak.pad(X, 1, constant_values=(p, 0.0)),
    "arange": lambda p: ak.arange(0.0, 3.0, p),
    "layer_norm": lambda p: ak.nn.layer_norm(ROWS, epsilon=p),
    "instance_norm": lambda p: ak.nn.instance_norm(ROWS[None], epsilon=p),
    "dropout": lambda p: ak.nn.dropout(X, p, seed=0),
    "attention": lambda p: ak.nn.attention(ROWS, ROWS, ROWS, mask=np.tri(4) > 0, mode="additive", additive=p),
    "masked_softmax": lambda p: ak.nn.masked_softmax(ROWS, ROWS > 0, mode="additive", additive=p),
    "class_means": lambda p: ak.segment.class_means(X, [0, 1, 0, 1], 2, np.zeros(2), p),
}


@pytest.mark.parametrize("name", WITH_DERIVATIVE)
def test_a_parameter_with_a_derivative(name: str) -> None:
    f, at = WITH_DERIVATIVE[name]

    def total(p: Any) -> Any:
        return ak.sum(f(p) * WEIGHTS)

    numeric = (float(total(at + 1e-6)) - float(total(at - 1e-6))) / 2e-6
    assert abs(numeric) > 1e-3
    variable = ak.Variable(at)
    with ak.GradientTape() as tape:
        loss = total(variable)
    np.testing.assert_allclose(float(loss), float(total(at)))
    np.testing.assert_allclose(float(tape.gradient(loss, variable)), numeric, rtol=1e-5)
    np.testing.assert_allclose(float(ak.grad(total)(at)), numeric, rtol=1e-5)
    np.testing.assert_allclose(float(ak.jvp(total, (at,), (1.0,))[1]), numeric, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("f", [
    ak.nn.leaky_relu, lambda x, p: ak.nn.huber(x, 0 * x, p), relax.soft_step, relax.soft_floor,
    relax.piecewise_linear_step, relax.piecewise_linear_floor, relax.filtered_step, relax.filtered_floor,
])  # fmt: skip
def test_a_number_on_a_tape_keeps_the_dtype(f: Any, dtype: Any) -> None:
    x, p = X.astype(dtype), ak.Variable(0.3)
    with ak.GradientTape() as tape:
        y = f(x, p)
    assert y.dtype == f(x, p).dtype == dtype
    assert tape.gradient(y, p).dtype == np.float64


@pytest.mark.parametrize("name", WITHOUT)
@pytest.mark.parametrize("around", [ak.grad, lambda f: lambda p: ak.jvp(f, (p,), (1.0,))], ids=["grad", "jvp"])
def test_a_parameter_without_a_derivative_is_refused_on_a_tape(name: str, around: Any) -> None:
    with pytest.raises(ArgumentError, match="has no derivative.*ak.stop_gradient"):
        around(lambda p: ak.sum(WITHOUT[name](p)))(0.3)


@pytest.mark.parametrize("name", WITHOUT)
def test_its_value_may_be_a_tensor_or_a_variable(name: str) -> None:
    f, variable = WITHOUT[name], ak.Variable(0.3)
    expected = f(0.3).numpy()
    np.testing.assert_array_equal(f(variable).numpy(), expected)
    with ak.GradientTape():
        np.testing.assert_array_equal(f(ak.stop_gradient(variable)).numpy(), expected)
        np.testing.assert_array_equal(f(ak.Variable(0.3, trainable=False)).numpy(), expected)


def test_a_slope_beyond_an_infinite_entry() -> None:
    x, slope = ak.constant([np.inf, -2.0, 0.0]), ak.Variable(0.2)
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = ak.nn.leaky_relu(x, slope)
    by_x, by_slope = tape.gradient(y, [x, slope])
    np.testing.assert_allclose(by_x.numpy(), [1.0, 0.2, 0.2])
    assert float(by_slope) == -2.0
