"""Truth table of lesson 16: a projected step, and a clip inside the loss.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_16_constraints.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from typing import Any

from measurement import Values, tried, write_tables

W, G = [1.0, -2.0, 3.0], [2.0, 1.0, 1.0]
CLIPPED = {"beyond": 1.5, "edge": 1.0, "inside": 0.5}


def tensorflow_kept() -> Values:
    import tensorflow as tf

    def projected() -> Any:
        w = tf.Variable(W, dtype=tf.float64, constraint=lambda v: tf.maximum(v, 0.0))
        tf.keras.optimizers.SGD(1.0).apply_gradients([(tf.constant(G, tf.float64), w)])
        return w

    def slope(at: float) -> Any:
        w = tf.Variable(at, dtype=tf.float64)
        with tf.GradientTape() as tape:
            loss = 0.5 * (tf.clip_by_value(w, -10.0, 1.0) - 2.0) ** 2
        return tape.gradient(loss, w)

    return {"projected": tried(projected)} | {key: tried(lambda at=at: slope(at)) for key, at in CLIPPED.items()}


def torch_kept() -> Values:
    import torch

    def projected() -> Any:
        w = torch.tensor(W, dtype=torch.float64, requires_grad=True)
        w.grad = torch.tensor(G, dtype=torch.float64)
        torch.optim.SGD([w], lr=1.0).step()
        with torch.no_grad():
            w.clamp_(min=0.0)
        return w

    def slope(at: float) -> Any:
        w = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        loss = 0.5 * (torch.clamp(w, -10.0, 1.0) - 2.0) ** 2
        return torch.autograd.grad(loss, w)[0]

    return {"projected": tried(projected)} | {key: tried(lambda at=at: slope(at)) for key, at in CLIPPED.items()}


def jax_kept() -> Values:
    import jax
    import jax.numpy as jnp
    import optax

    def projected() -> Any:
        w, sgd = jnp.array(W), optax.sgd(1.0)
        move, _ = sgd.update(jnp.array(G), sgd.init(w))
        return optax.projections.projection_non_negative(optax.apply_updates(w, move))

    def slope(at: float) -> Any:
        return jax.grad(lambda w: 0.5 * (jnp.clip(w, -10.0, 1.0) - 2.0) ** 2)(at)

    return {"projected": tried(projected)} | {key: tried(lambda at=at: slope(at)) for key, at in CLIPPED.items()}


TABLES: dict[str, dict[str, Any]] = {
    "constraint-or-clip": {
        "caption": "A projected step, and the gradient of ½(clip(w) − 2)², where clip keeps w at 1 or below",
        "digits": 4,
        "rows": {
            "projected": "(1, −2, 3) − (2, 1, 1), kept at 0 or above",
            "inside": "the clip's gradient at w = .5",
            "edge": "at w = 1, on the edge",
            "beyond": "at w = 1.5, beyond it",
        },
        "makers": (tensorflow_kept, torch_kept, jax_kept),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
