"""Truth table of lesson 14: momentum's steps, its steps at zero gradients, and a change of the learning rate.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_14_momentum.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from measurement import Values, tried, write_tables

ONES = (1.0, 1.0, 1.0)
Run = Callable[..., float]  # (gradients, nesterov, late rate from the fourth gradient on) -> w


def values(run: Run) -> Values:
    """The four cases, by a library's own run."""
    return {
        "three": tried(lambda: run(ONES)),
        "rolled": tried(lambda: run((*ONES, *[0.0] * 300))),
        "nesterov": tried(lambda: run(ONES, nesterov=True)),
        "rate": tried(lambda: run((*ONES, 0.0), late=0.01) - run(ONES)),
    }


def tensorflow_steps() -> Values:
    import tensorflow as tf

    def run(gradients: Sequence[float], nesterov: bool = False, late: float = 0.1) -> float:
        w = tf.Variable(0.0, dtype=tf.float64)
        sgd = tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=nesterov)
        for k, g in enumerate(gradients):
            sgd.learning_rate = 0.1 if k < 3 else late
            sgd.apply_gradients([(tf.constant(g, tf.float64), w)])
        return float(w.numpy())

    return values(run)


def torch_steps() -> Values:
    import torch

    def run(gradients: Sequence[float], nesterov: bool = False, late: float = 0.1) -> float:
        w = torch.zeros((), dtype=torch.float64, requires_grad=True)
        sgd = torch.optim.SGD([w], lr=0.1, momentum=0.9, nesterov=nesterov)
        for k, g in enumerate(gradients):
            sgd.param_groups[0]["lr"] = 0.1 if k < 3 else late
            w.grad = torch.tensor(g, dtype=torch.float64)
            sgd.step()
        return float(w.detach())

    return values(run)


def jax_steps() -> Values:
    import jax.numpy as jnp
    import optax

    def run(gradients: Sequence[float], nesterov: bool = False, late: float = 0.1) -> float:
        sgd = optax.sgd(lambda count: jnp.where(count < 3, 0.1, late), momentum=0.9, nesterov=nesterov)
        w = jnp.zeros(())
        state = sgd.init(w)
        for g in gradients:
            move, state = sgd.update(jnp.array(g), state)
            w = optax.apply_updates(w, move)
        return float(w)

    return values(run)


TABLES: dict[str, dict[str, Any]] = {
    "momentum-steps": {
        "caption": "SGD with momentum .9 and learning rate .1, from w = 0 (JAX: optax)",
        "digits": 4,
        "rows": {
            "three": "w after the gradients 1 1 1",
            "rolled": "w after 300 zeros more",
            "nesterov": "w after 1 1 1, by Nesterov's rule",
            "rate": "the step of one zero more, at rate .01",
        },
        "makers": (tensorflow_steps, torch_steps, jax_steps),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
