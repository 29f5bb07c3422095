"""Truth tables of lesson 02: results of other libraries for sources that are not connected.

Run it in an environment that has them (it imports nothing of the kit)::

    python benchmarks/truth_tables/lesson_02_unconnected_sources.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measurement import Values, tried, write_tables

Loss = Callable[..., Any]


# --- TensorFlow -----------------------------------------------------------------------------------


def tensorflow_pull(loss: Loss, *starts: float, **how: Any) -> Any:
    """Gradients of a loss with respect to variables; for one variable, a single gradient."""
    import tensorflow as tf

    given = [tf.Variable(one, dtype=tf.float64) for one in starts]
    with tf.GradientTape() as tape:
        y = loss(*given)
    found = tape.gradient(y, given, **how)
    return found if len(found) > 1 else found[0]


def tensorflow_unused() -> Values:
    def loss(x0: Any, x1: Any) -> Any:
        return x0**2

    return {
        "plain": tried(lambda: tensorflow_pull(loss, 3.0, 1.0)),
        "none": tried(lambda: tensorflow_pull(loss, 3.0, 1.0, unconnected_gradients="none")),
        "zero": tried(lambda: tensorflow_pull(loss, 3.0, 1.0, unconnected_gradients="zero")),
        "difference": tried(lambda: tensorflow_pull(lambda x: x - x, 3.0)),
    }


def tensorflow_causes() -> Values:
    import tensorflow as tf

    def plus_one() -> Any:
        x = tf.Variable(3.0, dtype=tf.float64)
        x = x + 1.0
        with tf.GradientTape() as tape:
            y = x**2
        return tape.gradient(y, x)

    def assigned(x: Any) -> Any:
        s = tf.Variable(0.0, dtype=tf.float64)
        s.assign_add(x)
        return s**2

    return {
        "replaced": tried(plus_one),
        "left": tried(lambda: tensorflow_pull(lambda x: tf.constant(x.numpy()) ** 2, 3.0)),
        "whole": tried(lambda: tensorflow_pull(lambda x: tf.floor(x) ** 2, 3.0)),
        "state": tried(lambda: tensorflow_pull(assigned, 3.0)),
    }


# --- PyTorch --------------------------------------------------------------------------------------


def torch_pull(loss: Loss, *starts: float, **how: Any) -> Any:
    import torch

    given = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in starts]
    found = torch.autograd.grad(loss(*given), given, **how)
    return list(found) if len(found) > 1 else found[0]


def torch_unused() -> Values:
    def loss(x0: Any, x1: Any) -> Any:
        return x0**2

    return {
        "plain": tried(lambda: torch_pull(loss, 3.0, 1.0)),
        "none": tried(lambda: torch_pull(loss, 3.0, 1.0, allow_unused=True)),
        "zero": tried(lambda: torch_pull(loss, 3.0, 1.0, allow_unused=True, materialize_grads=True)),
        "difference": tried(lambda: torch_pull(lambda x: x - x, 3.0)),
    }


def torch_causes() -> Values:
    import torch

    def plus_one() -> Any:
        x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
        x = x + 1.0
        return torch.autograd.grad(x**2, x)[0]

    def assigned(x: Any) -> Any:
        s = torch.zeros((), dtype=torch.float64)
        s += x
        return s**2

    return {
        "replaced": tried(plus_one),
        "left": tried(lambda: torch_pull(lambda x: torch.from_numpy(x.detach().numpy()) ** 2, 3.0)),
        "whole": tried(lambda: torch_pull(lambda x: torch.floor(x) ** 2, 3.0)),
        "state": tried(lambda: torch_pull(assigned, 3.0)),
    }


# --- JAX ------------------------------------------------------------------------------------------


def jax_unused() -> Values:
    import jax

    def both(*given: float) -> Any:
        return list(jax.grad(lambda x0, x1: x0**2, argnums=(0, 1))(*given))

    return {
        "plain": tried(lambda: both(3.0, 1.0)),
        "none": "no such choice",
        "zero": tried(lambda: both(3.0, 1.0)),
        "difference": tried(lambda: jax.grad(lambda x: x - x)(3.0)),
    }


def jax_causes() -> Values:
    import jax
    import jax.numpy as jnp
    import numpy as np

    def plus_one() -> Any:
        x = jnp.array(3.0)
        x = x + 1.0
        return jax.grad(lambda x: x**2)(x)

    def assigned(x: Any) -> Any:
        kept = jnp.zeros(())
        kept[()] = x
        return kept**2

    return {
        "replaced": tried(plus_one),
        "left": tried(lambda: jax.grad(lambda x: jnp.array(np.asarray(x)) ** 2)(3.0)),
        "whole": tried(lambda: jax.grad(lambda x: jnp.floor(x) ** 2)(3.0)),
        "state": tried(lambda: jax.grad(assigned)(3.0)),
    }


TABLES: dict[str, dict[str, Any]] = {
    "unconnected": {
        "caption": "y = x0² at x0 = 3, and an x1 = 1 that takes no part",
        "digits": 4,
        "rows": {
            "plain": "gradients to x0 and x1",
            "none": "the same, asked for None",
            "zero": "the same, asked for zeros",
            "difference": "d(x − x)/dx",
        },
        "makers": (tensorflow_unused, torch_unused, jax_unused),
    },
    "unconnected-causes": {
        "caption": "y has the value of x² (cause 1: of (x + 1)²) at x = 3, and the path is broken: dy/dx",
        "digits": 4,
        "rows": {
            "replaced": "1: x = x + 1 before the record begins",
            "left": "2: through a NumPy array",
            "whole": "3: through floor",
            "state": "4: added to what another variable holds",
        },
        "makers": (tensorflow_causes, torch_causes, jax_causes),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
