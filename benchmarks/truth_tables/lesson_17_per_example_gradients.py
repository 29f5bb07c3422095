"""Truth tables of lesson 17: per-example gradients, clipped before and after the mean; batch Jacobians.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_17_per_example_gradients.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from typing import Any

from measurement import Values, tried, write_tables

X = [[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]]
C = 1.0
SMALL = [[1.0, 2.0], [3.0, 4.0]]
FACTORS = [1.0, 10.0]


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_examples() -> Values:
    import tensorflow as tf

    x = tf.constant(X, tf.float64)

    def gradients(start: float, centred: bool = False) -> Any:
        w = tf.Variable([start, start], dtype=tf.float64)
        with tf.GradientTape() as tape:
            out = tf.linalg.matvec(x, w)
            losses = (out - (tf.reduce_mean(out) if centred else 1.0)) ** 2
        return tape.jacobian(losses, w)

    def after() -> Any:
        return tf.clip_by_norm(tf.reduce_mean(gradients(0.0), axis=0), C)

    return {
        "gradients": tried(lambda: gradients(0.0)),
        "before": tried(lambda: tf.reduce_mean(tf.clip_by_norm(gradients(0.0), C, axes=[1]), axis=0)),
        "after": tried(after),
        "centred": tried(lambda: gradients(1.0, centred=True)),
    }


def tensorflow_batch() -> Values:
    import tensorflow as tf

    x = tf.constant(SMALL, tf.float64)

    def made(how: str) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**2 * tf.constant(FACTORS, tf.float64)
        return getattr(tape, how)(y, x)

    return {
        "batch": tried(lambda: made("batch_jacobian")),
        "whole": tried(lambda: [list(made("jacobian").shape)]),
        "sum": tried(lambda: made("gradient")),
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_examples() -> Values:
    import torch

    x = torch.tensor(X, dtype=torch.float64)

    def gradients(start: float, centred: bool = False) -> Any:
        def loss(w: Any, one: Any) -> Any:
            out = one @ w
            return (out - (out.mean() if centred else 1.0)) ** 2

        w = torch.full((2,), start, dtype=torch.float64)
        return torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, x)

    def clipped(g: Any) -> Any:
        leaf = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        leaf.grad = g.clone()
        torch.nn.utils.clip_grad_norm_([leaf], C)
        return leaf.grad

    def before() -> Any:
        return torch.stack([clipped(g) for g in gradients(0.0)]).mean(0)

    return {
        "gradients": tried(lambda: gradients(0.0)),
        "before": tried(before),
        "after": tried(lambda: clipped(gradients(0.0).mean(0))),
        "centred": tried(lambda: gradients(1.0, centred=True)),
    }


def torch_batch() -> Values:
    import torch

    x = torch.tensor(SMALL, dtype=torch.float64)
    f = lambda rows: rows**2 * torch.tensor(FACTORS, dtype=torch.float64)  # noqa: E731

    def gradient() -> Any:
        leaf = x.clone().requires_grad_()
        return torch.autograd.grad(f(leaf).sum(), leaf)[0]

    return {
        "batch": tried(lambda: torch.func.vmap(torch.func.jacrev(f))(x)),
        "whole": tried(lambda: [list(torch.func.jacrev(f)(x).shape)]),
        "sum": tried(gradient),
    }


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_examples() -> Values:
    import jax
    import jax.numpy as jnp

    x = jnp.array(X)

    def gradients(start: float, centred: bool = False) -> Any:
        def loss(w: Any, one: Any) -> Any:
            out = one @ w
            return (out - (out.mean() if centred else 1.0)) ** 2

        return jax.vmap(jax.grad(loss), in_axes=(None, 0))(jnp.full(2, start), x)

    def clipped(g: Any) -> Any:
        return g * jnp.minimum(1.0, C / jnp.linalg.norm(g))

    return {
        "gradients": tried(lambda: gradients(0.0)),
        "before": tried(lambda: jax.vmap(clipped)(gradients(0.0)).mean(0)),
        "after": tried(lambda: clipped(gradients(0.0).mean(0))),
        "centred": tried(lambda: gradients(1.0, centred=True)),
    }


def jax_batch() -> Values:
    import jax
    import jax.numpy as jnp

    x, f = jnp.array(SMALL), lambda rows: rows**2 * jnp.array(FACTORS)
    return {
        "batch": tried(lambda: jax.vmap(jax.jacrev(f))(x)),
        "whole": tried(lambda: [list(jax.jacrev(f)(x).shape)]),
        "sum": tried(lambda: jax.grad(lambda rows: f(rows).sum())(x)),
    }


TABLES: dict[str, dict[str, Any]] = {
    "per-example": {
        "caption": "Squared errors of x·w to 1 for the three examples; C = 1",
        "digits": 4,
        "rows": {
            "gradients": "a gradient for each example, w = (0, 0)",
            "before": "each clipped, then the mean",
            "after": "the mean, then clipped",
            "centred": "errors to the batch's own mean, w = (1, 1)",
        },
        "makers": (tensorflow_examples, torch_examples, jax_examples),
    },
    "batch-jacobian": {
        "caption": "x² · (1, 10) on the rows (1, 2) and (3, 4)",
        "digits": 0,
        "rows": {"batch": "a Jacobian for each row", "whole": "shape of the whole Jacobian", "sum": "the gradient"},
        "makers": (tensorflow_batch, torch_batch, jax_batch),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
