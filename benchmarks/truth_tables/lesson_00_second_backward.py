"""Truth table of lesson 00: an intermediate value, and the result of a second gradient from one record.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_00_second_backward.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from typing import Any

from measurement import Values, tried, write_tables

A, B = 2.0, 3.0
N = 1000


def tensorflow_tape() -> Values:
    import tensorflow as tf

    def recorded(persistent: bool) -> Any:
        a, b = tf.constant(A, tf.float64), tf.constant(B, tf.float64)
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch([a, b])
            y = a * b
            z = y * y
        return tape, a, y, z

    tape, a, y, z = recorded(persistent=True)

    def twice(persistent: bool) -> Any:
        tape, a, _, z = recorded(persistent)
        tape.gradient(z, a)
        return tape.gradient(z, a)

    return {
        "middle": tried(lambda: tape.gradient(z, y)),
        "source": tried(lambda: tape.gradient(z, a)),
        "again": tried(lambda: twice(persistent=True)),
        "once": tried(lambda: twice(persistent=False)),
        "held": "not told",
    }


def torch_tape() -> Values:
    import torch

    def recorded() -> Any:
        a, b = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (A, B))
        y = a * b
        return a, y, y * y

    def asked(which: str) -> Any:
        a, y, z = recorded()
        return torch.autograd.grad(z, {"a": a, "y": y}[which])[0]

    def twice(keep: bool) -> Any:
        a, _, z = recorded()
        z.backward(retain_graph=keep)
        z.backward(retain_graph=keep)
        return a.grad

    def held() -> int:
        kept: list[int] = []
        a, b = (torch.ones(N, dtype=torch.float64, requires_grad=True) for _ in range(2))
        with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.nbytes) or t, lambda t: t):
            a + b
        return sum(kept)

    return {
        "middle": tried(lambda: asked("y")),
        "source": tried(lambda: asked("a")),
        "again": tried(lambda: twice(keep=True)),
        "once": tried(lambda: twice(keep=False)),
        "held": tried(held),
    }


def jax_tape() -> Values:
    import jax
    import jax.numpy as jnp

    def outer(y: Any) -> Any:
        return y * y

    def whole(a: Any, b: Any) -> Any:
        return outer(a * b)

    _, pull = jax.vjp(whole, A, B)

    def twice() -> Any:
        pull(1.0)
        return pull(1.0)[0]

    def held() -> int:
        _, back = jax.vjp(lambda a, b: a + b, jnp.ones(N), jnp.ones(N))
        return sum(leaf.nbytes for leaf in jax.tree_util.tree_leaves(back))

    return {
        "middle": tried(lambda: jax.grad(outer)(A * B)),
        "source": tried(lambda: jax.grad(whole)(A, B)),
        "again": tried(twice),
        "once": tried(twice),
        "held": tried(held),
    }


TABLES: dict[str, dict[str, Any]] = {
    "tape-middle": {
        "caption": "y = a·b, z = y² at a = 2, b = 3, and what a sum of two arrays keeps",
        "digits": 4,
        "rows": {
            "middle": "dz/dy",
            "source": "dz/da",
            "again": "dz/da asked twice: the second answer (PyTorch: backward, then a.grad)",
            "once": "the same, of a record that is not kept",
            "held": f"bytes kept by the sum of two arrays of {N}",
        },
        "makers": (tensorflow_tape, torch_tape, jax_tape),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
