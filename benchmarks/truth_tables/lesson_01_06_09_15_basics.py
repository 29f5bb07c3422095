"""Truth tables of lessons 01, 06, 09 and 15: a vector target, floor, fully masked attention, Adam with zeros or None.

Run it in an environment that has the libraries (it imports nothing of the kit)::

    python benchmarks/truth_tables/lesson_01_06_09_15_basics.py autodiff_kit/lessons/truths

A library that is not installed is missing in the tables, because all their numbers are measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from measurement import Values, tried, write_tables

X, V, U = [2.0, 3.0, -1.0], [1.0, 2.0, -1.0], [1.0, -1.0, 2.0]
SCORES = [math.log(k) for k in (1, 2, 3, 4)]
VALUES = [10.0, 20.0, 30.0, 100.0]


# --- TensorFlow -----------------------------------------------------------------------------------


def tensorflow_vector_target() -> Values:
    import tensorflow as tf

    x, v, u = (tf.constant(a, tf.float64) for a in (X, V, U))
    f = lambda x: tf.stack([x[0] * x[1], x[1] * x[2], x[0] ** 2 + x[2]])  # noqa: E731

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    def push() -> Any:
        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            y = f(x)
        return acc.jvp(y)

    def pull() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x, output_gradients=u)

    return {"gradient": tried(gradient), "jv": tried(push), "uj": tried(pull)}


def tensorflow_floor() -> Values:
    import tensorflow as tf

    def slope(f: Callable[[Any], Any]) -> Any:
        x = tf.constant(0.3, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return {
        "floor": tried(lambda: slope(tf.floor)),
        "loss": tried(lambda: slope(lambda x: (tf.floor(x) - 3) ** 2)),
        "through": tried(lambda: slope(lambda x: (x + tf.stop_gradient(tf.floor(x) - x) - 3) ** 2)),
    }


def tensorflow_masked() -> Values:
    import tensorflow as tf

    def at(low: float, dtype: Any) -> Any:
        return tf.nn.softmax(tf.constant(SCORES, dtype) + tf.constant(low, dtype))

    def pull(low: float) -> Any:
        s = tf.constant([-math.inf] * 4, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(s)
            y = tf.reduce_sum(tf.where(tf.constant(False), tf.nn.softmax(s), 0.0))
        return tape.gradient(y, s)

    return masked_rows(at, tf.float32, tf.float64, pull)


def tensorflow_adam() -> Values:
    import tensorflow as tf

    def run(late: float | None) -> Any:
        w = tf.Variable(0.0, dtype=tf.float64)
        adam = tf.keras.optimizers.Adam(0.1, 0.9, 0.999, epsilon=1e-8)
        for t in range(100):
            g = 1.0 if t == 0 else late
            if g is not None:
                adam.apply_gradients([(tf.constant(g, tf.float64), w)])
        return w

    def with_none() -> Any:
        w = tf.Variable(0.0, dtype=tf.float64)
        adam = tf.keras.optimizers.Adam(0.1, 0.9, 0.999, epsilon=1e-8)
        adam.apply_gradients([(tf.constant(1.0, tf.float64), w)])
        for _ in range(99):
            adam.apply_gradients([(None, w)])
        return w

    return {"zeros": tried(lambda: run(0.0)), "none": tried(with_none)}


# --- PyTorch --------------------------------------------------------------------------------------


def torch_vector_target() -> Values:
    import torch

    x, v, u = (torch.tensor(a, dtype=torch.float64) for a in (X, V, U))
    f = lambda x: torch.stack([x[0] * x[1], x[1] * x[2], x[0] ** 2 + x[2]])  # noqa: E731

    def pull(seed: Any = None) -> Any:
        leaf = x.clone().requires_grad_()
        return torch.autograd.grad(f(leaf), leaf, grad_outputs=seed)[0]

    return {
        "gradient": tried(pull),
        "jv": tried(lambda: torch.func.jvp(f, (x,), (v,))[1]),
        "uj": tried(lambda: pull(u)),
    }


def torch_floor() -> Values:
    import torch

    def slope(f: Callable[[Any], Any]) -> Any:
        x = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(f(x), x)[0]

    return {
        "floor": tried(lambda: slope(torch.floor)),
        "loss": tried(lambda: slope(lambda x: (torch.floor(x) - 3) ** 2)),
        "through": tried(lambda: slope(lambda x: (x + (torch.floor(x) - x).detach() - 3) ** 2)),
    }


def torch_masked() -> Values:
    import torch

    def at(low: float, dtype: Any) -> Any:
        return torch.softmax(torch.tensor(SCORES, dtype=dtype) + torch.tensor(low, dtype=dtype), 0)

    def pull(low: float) -> Any:
        s = torch.full((4,), -math.inf, dtype=torch.float64, requires_grad=True)
        y = torch.where(torch.tensor(False), torch.softmax(s, 0), torch.zeros(4, dtype=torch.float64)).sum()
        return torch.autograd.grad(y, s)[0]

    return masked_rows(at, torch.float32, torch.float64, pull)


def torch_adam() -> Values:
    import torch

    def run(late: float | None) -> Any:
        w = torch.zeros((), dtype=torch.float64, requires_grad=True)
        adam = torch.optim.Adam([w], lr=0.1, betas=(0.9, 0.999), eps=1e-8)
        for t in range(100):
            g = 1.0 if t == 0 else late
            w.grad = None if g is None else torch.tensor(g, dtype=torch.float64)
            adam.step()
        return w

    return {"zeros": tried(lambda: run(0.0)), "none": tried(lambda: run(None))}


# --- JAX ------------------------------------------------------------------------------------------


def jax_vector_target() -> Values:
    import jax
    import jax.numpy as jnp

    x, v, u = (jnp.array(a) for a in (X, V, U))
    f = lambda x: jnp.stack([x[0] * x[1], x[1] * x[2], x[0] ** 2 + x[2]])  # noqa: E731
    return {
        "gradient": tried(lambda: jax.grad(f)(x)),
        "jv": tried(lambda: jax.jvp(f, (x,), (v,))[1]),
        "uj": tried(lambda: jax.vjp(f, x)[1](u)[0]),
    }


def jax_floor() -> Values:
    import jax
    import jax.numpy as jnp

    stop = jax.lax.stop_gradient
    return {
        "floor": tried(lambda: jax.grad(jnp.floor)(0.3)),
        "loss": tried(lambda: jax.grad(lambda x: (jnp.floor(x) - 3) ** 2)(0.3)),
        "through": tried(lambda: jax.grad(lambda x: (x + stop(jnp.floor(x) - x) - 3) ** 2)(0.3)),
    }


def jax_masked() -> Values:
    import jax
    import jax.numpy as jnp

    def at(low: float, dtype: Any) -> Any:
        return jax.nn.softmax(jnp.array(SCORES, dtype) + jnp.array(low, dtype))

    def pull(low: float) -> Any:
        return jax.grad(lambda s: jnp.where(False, jax.nn.softmax(s), 0.0).sum())(jnp.full(4, -jnp.inf))

    return masked_rows(at, jnp.float32, jnp.float64, pull)


def jax_adam() -> Values:
    import jax.numpy as jnp
    import optax

    def run(late: Any) -> Any:
        adam = optax.adam(0.1, 0.9, 0.999, eps=1e-8)
        w = jnp.zeros(())
        state = adam.init(w)
        for t in range(100):
            move, state = adam.update(jnp.ones(()) if t == 0 else late, state)
            w = optax.apply_updates(w, move)
        return w

    return {"zeros": tried(lambda: run(jnp.zeros(()))), "none": tried(lambda: run(None))}


# --- tables ---------------------------------------------------------------------------------------


def masked_rows(at: Callable[..., Any], single: Any, double: Any, pull: Callable[[float], Any]) -> Values:
    """Give the rows of the masked table from one softmax."""
    return {
        "float32": tried(lambda: at(-1e9, single)),
        "float64": tried(lambda: at(-1e9, double)),
        "infinity": tried(lambda: at(-math.inf, double)),
        "left-out": tried(lambda: pull(-math.inf)),
    }


TABLES: dict[str, dict[str, Any]] = {
    "jvp-vector-target": {
        "caption": "f(x) = (x0·x1, x1·x2, x0² + x2) at x = (2, 3, −1)",
        "digits": 4,
        "rows": {
            "gradient": "gradient of the whole vector",
            "jv": "Jv for v = (1, 2, −1)",
            "uj": "uJ for u = (1, −1, 2)",
        },
        "makers": (tensorflow_vector_target, torch_vector_target, jax_vector_target),
    },
    "floor-gradient": {
        "caption": "The gradient at x = 0.3",
        "digits": 4,
        "rows": {"floor": "floor(x)", "loss": "(floor(x) − 3)²", "through": "the same, straight-through"},
        "makers": (tensorflow_floor, torch_floor, jax_floor),
    },
    "attention-all-masked": {
        "caption": "All four scores log(1, 2, 3, 4) are masked",
        "digits": 4,
        "rows": {
            "float32": "softmax of scores − 1e9, float32",
            "float64": "the same in float64",
            "infinity": "softmax of scores − inf",
            "left-out": "gradient of where(False, softmax(−inf), 0)",
        },
        "makers": (tensorflow_masked, torch_masked, jax_masked),
    },
    "adam-zero-or-none": {
        "caption": "Adam (lr .1) from 0: one gradient of 1, then 99 of 0, or of None",
        "digits": 6,
        "rows": {"zeros": "99 zeros", "none": "99 times None, for the only parameter"},
        "makers": (tensorflow_adam, torch_adam, jax_adam),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
