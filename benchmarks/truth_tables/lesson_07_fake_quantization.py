"""Truth tables of lesson 07: fake quantization with the range of x itself, and near the ends of a range.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_07_fake_quantization.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measurement import Values, tried, write_tables

OWN = [-4.0, -3.5, 0.0, 1.0, 5.0]  # its minimum and maximum are the range, at 2 bits
NEAR = [5.97, 5.98, 6.0]  # around the nudged end of (-6, 6) at 8 bits
TIE = [-1.5, -0.4, 0.1, 0.63, 2.0]  # 0 falls half-way between two levels of (-1, 1) at 3 bits
NONE = "no fake quantisation"


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_own() -> Values:
    import tensorflow as tf

    fake = tf.quantization.fake_quant_with_min_max_vars

    def quantised(x: Any) -> Any:
        return fake(x, tf.reduce_min(x), tf.reduce_max(x), num_bits=2)

    def slope(y: Callable[[Any], Any]) -> Any:
        x = tf.constant(OWN)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(y(x))
        return tape.gradient(loss, x)

    return {
        "value": tried(lambda: quantised(tf.constant(OWN))),
        "own": tried(lambda: slope(quantised)),
        "fixed": tried(lambda: slope(lambda x: fake(x, OWN[0], OWN[-1], num_bits=2))),
        "through": tried(lambda: slope(lambda x: x + tf.stop_gradient(quantised(x) - x))),
        "round": tried(lambda: slope(lambda x: tf.round(x / 3.0) * 3.0)),
    }


def tensorflow_ends() -> Values:
    import tensorflow as tf

    def slopes() -> Any:
        x, low, high = tf.constant(NEAR), tf.constant(-6.0), tf.constant(6.0)
        with tf.GradientTape() as tape:
            tape.watch([x, low, high])
            y = tf.quantization.fake_quant_with_min_max_vars(x, low, high, num_bits=8)
        return tape.gradient(y, [x, low, high])

    def values() -> Any:
        return tf.quantization.fake_quant_with_min_max_vars(tf.constant(TIE), -1.0, 1.0, num_bits=3)

    return {
        "near": tried(lambda: slopes()[0]),
        "ends": tried(lambda: [end.numpy() for end in slopes()[1:]]),
        "tie": tried(values),
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_fake(low: float, high: float, levels: int) -> Any:
    """Fake quantization with the range that its observer has measured."""
    import torch
    from torch.ao.quantization import FakeQuantize, MinMaxObserver

    made = FakeQuantize.with_args(
        observer=MinMaxObserver, quant_min=0, quant_max=levels - 1, dtype=torch.quint8, qscheme=torch.per_tensor_affine
    )()
    made(torch.tensor([low, high]))
    made.disable_observer()
    return made


def torch_slope(y: Callable[[Any], Any], at: list[float]) -> Any:
    import torch

    x = torch.tensor(at, requires_grad=True)
    return torch.autograd.grad(y(x).sum(), x)[0]


def torch_own() -> Values:
    import torch

    def own() -> Any:
        made = torch_fake(OWN[0], OWN[-1], 4)
        made.enable_observer()
        return made

    return {
        "value": tried(lambda: own()(torch.tensor(OWN))),
        "own": tried(lambda: torch_slope(own(), OWN)),
        "fixed": tried(lambda: torch_slope(torch_fake(OWN[0], OWN[-1], 4), OWN)),
        "through": tried(lambda: torch_slope(lambda x: x + (own()(x) - x).detach(), OWN)),
        "round": tried(lambda: torch_slope(lambda x: torch.round(x / 3.0) * 3.0, OWN)),
    }


def torch_ends() -> Values:
    import torch

    return {
        "near": tried(lambda: torch_slope(torch_fake(-6.0, 6.0, 256), NEAR)),
        "ends": "a range is no input",
        "tie": tried(lambda: torch_fake(-1.0, 1.0, 8)(torch.tensor(TIE))),
    }


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_own() -> Values:
    import jax
    import jax.numpy as jnp

    def slope(y: Callable[[Any], Any]) -> Any:
        return jax.grad(lambda x: y(x).sum())(jnp.array(OWN))

    def rounded(x: Any) -> Any:
        return jnp.clip(jnp.round(x / 3.0), -1.0, 2.0) * 3.0

    return {
        "value": NONE,
        "own": NONE,
        "fixed": NONE,
        "through": tried(lambda: slope(lambda x: x + jax.lax.stop_gradient(rounded(x) - x))),
        "round": tried(lambda: slope(lambda x: jnp.round(x / 3.0) * 3.0)),
    }


def jax_ends() -> Values:
    return {"near": NONE, "ends": NONE, "tie": NONE}


TABLES: dict[str, dict[str, Any]] = {
    "fake-quant-own-range": {
        "caption": "x = (−4, −3.5, 0, 1, 5), 2 bits: values, and gradients of their sum",
        "digits": 4,
        "rows": {
            "value": "values",
            "own": "gradient, min and max from x",
            "fixed": "gradient, min −4 and max 5 are constants",
            "through": "x + stop_gradient(values − x)",
            "round": "3·round(x/3), nothing else",
        },
        "makers": (tensorflow_own, torch_own, jax_own),
    },
    "fake-quant-ends": {
        "caption": "Near the ends of a range, and a tie",
        "digits": 4,
        "rows": {
            "near": "(−6, 6), 8 bits: gradient at 5.97, 5.98, 6",
            "ends": "the same: gradient to min and max",
            "tie": "(−1, 1), 3 bits, float32: values at −1.5, −.4, .1, .63, 2",
        },
        "makers": (tensorflow_ends, torch_ends, jax_ends),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
