"""Truth tables of lesson 03: where with nan on the side that was not chosen, and the branch that cond does not run.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_03_where_and_cond.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measurement import Values, tried, write_tables

X = [-1.0, 0.0, 4.0]
A, B, P = 3.0, 2.0, 1.0


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_where() -> Values:
    import tensorflow as tf

    def slope(y: Callable[[Any], Any], wrap: Callable[[Any], Any] = lambda f: f) -> Any:
        def pulled(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = tf.reduce_sum(y(x))
            return tape.gradient(loss, x)

        return wrap(pulled)(tf.constant(X, tf.float64))  # a constant inside would be folded away, not compiled

    def inner(x: Any) -> Any:
        return tf.where(x > 0, tf.sqrt(tf.where(x > 0, x, 1.0)), 0.0)

    def naive(x: Any) -> Any:
        return tf.where(x > 0, tf.sqrt(x), 0.0)

    return {
        "naive": tried(lambda: slope(naive)),
        "compiled": tried(lambda: slope(naive, tf.function(jit_compile=True))),
        "log": tried(lambda: slope(lambda x: tf.where(x > 0, tf.math.log(x), 0.0))),
        "inner": tried(lambda: slope(inner)),
    }


def tensorflow_cond() -> Values:
    import tensorflow as tf

    def slopes(choose: Callable[[Any, Any, Any], Any]) -> Any:
        a, b, p = (tf.Variable(value, dtype=tf.float64) for value in (A, B, P))
        with tf.GradientTape() as tape:
            y = choose(p, a, b)
        return tape.gradient(y, [a, b, p])

    return {
        "cond": tried(lambda: slopes(lambda p, a, b: tf.cond(p > 0, lambda: a**2, lambda: b**3))),
        "where": tried(lambda: slopes(lambda p, a, b: tf.where(p > 0, a**2, b**3))),
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_where() -> Values:
    import torch

    def slope(y: Callable[[Any], Any]) -> Any:
        x = torch.tensor(X, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(y(x).sum(), x)[0]

    return {
        "naive": tried(lambda: slope(lambda x: torch.where(x > 0, torch.sqrt(x), 0.0))),
        "compiled": "no XLA",
        "log": tried(lambda: slope(lambda x: torch.where(x > 0, torch.log(x), 0.0))),
        "inner": tried(lambda: slope(lambda x: torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1.0)), 0.0))),
    }


def torch_cond() -> Values:
    import torch

    def slopes(choose: Callable[[Any, Any, Any], Any]) -> Any:
        a, b, p = (torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (A, B, P))
        return list(torch.autograd.grad(choose(p, a, b), [a, b, p], allow_unused=True))

    return {
        "cond": tried(lambda: slopes(lambda p, a, b: a**2 if p > 0 else b**3)),
        "where": tried(lambda: slopes(lambda p, a, b: torch.where(p > 0, a**2, b**3))),
    }


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_where() -> Values:
    import jax
    import jax.numpy as jnp

    def slope(y: Callable[[Any], Any], wrap: Callable[[Any], Any] = lambda f: f) -> Any:
        return wrap(jax.grad(lambda x: y(x).sum()))(jnp.array(X))

    def naive(x: Any) -> Any:
        return jnp.where(x > 0, jnp.sqrt(x), 0.0)

    return {
        "naive": tried(lambda: slope(naive)),
        "compiled": tried(lambda: slope(naive, jax.jit)),
        "log": tried(lambda: slope(lambda x: jnp.where(x > 0, jnp.log(x), 0.0))),
        "inner": tried(lambda: slope(lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0))),
    }


def jax_cond() -> Values:
    import jax
    import jax.numpy as jnp

    def slopes(choose: Callable[[Any, Any, Any], Any]) -> Any:
        return list(jax.grad(lambda a, b, p: choose(p, a, b), argnums=(0, 1, 2))(A, B, P))

    return {
        "cond": tried(lambda: slopes(lambda p, a, b: jax.lax.cond(p > 0, lambda: a**2, lambda: b**3))),
        "where": tried(lambda: slopes(lambda p, a, b: jnp.where(p > 0, a**2, b**3))),
    }


TABLES: dict[str, dict[str, Any]] = {
    "where-gradient": {
        "caption": "The gradient of the sum, at x = (−1, 0, 4)",
        "digits": 4,
        "rows": {
            "naive": "where(x > 0, √x, 0)",
            "compiled": "the same, compiled (theirs by XLA)",
            "log": "where(x > 0, log x, 0)",
            "inner": "where(x > 0, √where(x > 0, x, 1), 0)",
        },
        "makers": (tensorflow_where, torch_where, jax_where),
    },
    "cond-gradient": {
        "caption": "y is a² if p > 0, else b³, at a = 3, b = 2, p = 1: gradients with respect to a, b, p",
        "digits": 4,
        "rows": {"cond": "by cond (in PyTorch by if)", "where": "by where"},
        "makers": (tensorflow_cond, torch_cond, jax_cond),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
