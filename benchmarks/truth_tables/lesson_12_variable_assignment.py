"""Truth tables of lesson 12: assignments on a record, and values that are overwritten after they were recorded.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_12_variable_assignment.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from typing import Any

import numpy as np
from measurement import Values, tried, write_tables


def buffer() -> Any:
    """An array of numbers 3 that starts at a multiple of 64 bytes, so that a library can use it without a copy."""
    room = np.zeros(64 + 8, np.float64)
    first = (-room.ctypes.data // 8) % 8
    x = room[first : first + 8]
    x[...] = 3.0
    return x


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_assign() -> Values:
    import tensorflow as tf

    def asked(how: str) -> Any:
        x0, x1 = tf.Variable(3.0, dtype=tf.float64), tf.Variable(0.0, dtype=tf.float64)
        with tf.GradientTape() as tape:
            if how == "assign":
                x1.assign_add(x0)
                y = x1**2
            elif how == "update":
                y = (x1 + x0) ** 2
            else:
                y = x0**2
                x0.assign_add(1.0)
                y = y * x0
        return [y, tape.gradient(y, x0)]

    return {how: tried(lambda how=how: asked(how)) for how in ("assign", "update", "twice")}


def tensorflow_overwritten() -> Values:
    import tensorflow as tf

    def asked(make: Any, write: Any) -> Any:
        source = buffer()
        x = make(source)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        write(source, x)
        return tape.gradient(y, x)[0]

    return {
        "array": tried(lambda: asked(tf.convert_to_tensor, lambda source, _x: source.fill(10.0))),
        "itself": tried(lambda: asked(tf.Variable, lambda _s, x: x.assign(np.full(8, 10.0)))),
        "window": tried(lambda: asked(tf.convert_to_tensor, lambda _s, x: x.numpy().fill(10.0))),
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_assign() -> Values:
    import torch

    def asked(how: str) -> Any:
        x0 = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
        x1 = torch.tensor(0.0, dtype=torch.float64)
        if how == "assign":
            x1.add_(x0)
            y = x1**2
        elif how == "update":
            y = (x1 + x0) ** 2
        else:
            y = x0**2
            x0.add_(1.0)
            y = y * x0
        return [y, torch.autograd.grad(y, x0)[0]]

    return {how: tried(lambda how=how: asked(how)) for how in ("assign", "update", "twice")}


def torch_overwritten() -> Values:
    import torch

    def asked(write: Any) -> Any:
        source = buffer()
        x = torch.from_numpy(source).requires_grad_()
        y = (x * x).sum()
        with torch.no_grad():
            write(source, x)
        return torch.autograd.grad(y, x)[0][0]

    return {
        "array": tried(lambda: asked(lambda source, _x: source.fill(10.0))),
        "itself": tried(lambda: asked(lambda _s, x: x.fill_(10.0))),
        "window": tried(lambda: asked(lambda _s, x: x.detach().numpy().fill(10.0))),
    }


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_assign() -> Values:
    import jax
    import jax.numpy as jnp

    def assigned(x0: Any) -> Any:
        x1 = jnp.zeros(())
        x1[()] += x0
        return x1**2

    def twice(x0: Any) -> Any:
        y = x0**2
        x0[()] += 1.0
        return y * x0

    return {
        "assign": tried(lambda: list(jax.value_and_grad(assigned)(3.0))),
        "update": tried(lambda: list(jax.value_and_grad(lambda x0: (jnp.zeros(()) + x0) ** 2)(3.0))),
        "twice": tried(lambda: list(jax.value_and_grad(twice)(jnp.array(3.0)))),
    }


def jax_overwritten() -> Values:
    import jax
    import jax.numpy as jnp

    def asked(make: Any, write: Any) -> Any:
        source = buffer()
        x = make(source)
        _, pull = jax.vjp(lambda x: (x * x).sum(), x)
        write(source, x)
        return pull(jnp.ones(()))[0][0]

    return {
        "array": tried(lambda: asked(lambda source: source, lambda source, _x: source.fill(10.0))),
        "itself": tried(lambda: asked(jnp.asarray, lambda _s, x: x.__setitem__(slice(None), 10.0))),
        "window": tried(lambda: asked(jnp.asarray, lambda _s, x: np.asarray(x).fill(10.0))),
    }


TABLES: dict[str, dict[str, Any]] = {
    "state-assign": {
        "caption": "x0 = 3, x1 = 0: the value of y, and dy/dx0",
        "digits": 4,
        "rows": {
            "assign": "x1.assign_add(x0); y = x1² (PyTorch: x1.add_(x0); JAX: x1[()] += x0)",
            "update": "y = (x1 + x0)²",
            "twice": "y = x0²; x0.assign_add(1); y = y·x0",
        },
        "makers": (tensorflow_assign, torch_assign, jax_assign),
    },
    "state-overwritten": {
        "caption": "y = Σ x·x is recorded at x = 3, then 10 is written; dy/dx of the first entry",
        "digits": 4,
        "rows": {
            "array": "into the NumPy array that x was made from (JAX: that jax.vjp was given)",
            "itself": "into x itself (a variable where there are any)",
            "window": "into what x.numpy() gives (JAX: np.asarray(x))",
        },
        "makers": (tensorflow_overwritten, torch_overwritten, jax_overwritten),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
