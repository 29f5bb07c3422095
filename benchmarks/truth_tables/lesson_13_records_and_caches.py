"""Truth table of lesson 13: the size of a record, how often it can be used, recomputation, and stale results.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_13_records_and_caches.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from typing import Any

from measurement import Values, tried, write_tables

STEPS, LAYERS, BLOCK = 100, 100, 10
NO_OPERATION = {"Const", "Placeholder", "ReadVariableOp", "NoOp", "Identity"}


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_records() -> Values:
    import tensorflow as tf

    def around() -> Any:
        w = tf.Variable(1.0, dtype=tf.float64)

        @tf.function(autograph=False)
        def total() -> Any:
            found = tf.constant(0.0, tf.float64)
            for i in range(STEPS):
                found = found + tf.reduce_mean(tf.square(w * float(i) - 2.0))
            return found

        with tf.GradientTape():
            operations = total.get_concrete_function().graph.get_operations()
        return float(sum(one.type not in NO_OPERATION for one in operations))

    def twice() -> Any:
        x = tf.Variable(3.0, dtype=tf.float64)
        with tf.GradientTape() as tape:
            y = x**2
        return [tape.gradient(y, x), tape.gradient(y, x)]

    def again() -> Any:
        calls = [0]

        def block(x: Any) -> Any:
            for _ in range(BLOCK):
                calls[0] += 1
                x = tf.sin(x)
            return x

        x = tf.Variable(1.0, dtype=tf.float64)
        with tf.GradientTape() as tape:
            y = tf.convert_to_tensor(x)
            for _ in range(LAYERS // BLOCK):
                y = tf.recompute_grad(block)(y)
        tape.gradient(y, x)
        return float(calls[0])

    def stale() -> Any:
        w = tf.Variable(2.0, dtype=tf.float64)
        f = tf.function(lambda x: w * x)
        x = tf.constant(3.0, tf.float64)
        before = f(x)
        w.assign(5.0)
        return [before, f(x)]

    return {"around": tried(around), "twice": tried(twice), "again": tried(again), "stale": tried(stale)}


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_records() -> Values:
    import torch
    from torch.utils.checkpoint import checkpoint

    def around() -> Any:
        w, total = torch.tensor(1.0, requires_grad=True), torch.tensor(0.0)
        for i in range(STEPS):
            total = total + torch.mean(torch.square(w * float(i) - 2.0))
        seen, waiting = set(), [total.grad_fn]
        while waiting:
            node = waiting.pop()
            if node is not None and node not in seen:
                seen.add(node)
                waiting += [before for before, _ in node.next_functions]
        return float(sum(type(node).__name__ != "AccumulateGrad" for node in seen))

    def twice() -> Any:
        x = torch.tensor(3.0, requires_grad=True)
        y = x**2
        return [torch.autograd.grad(y, x)[0], torch.autograd.grad(y, x)[0]]

    def again() -> Any:
        calls = [0]

        def block(x: Any) -> Any:
            for _ in range(BLOCK):
                calls[0] += 1
                x = torch.sin(x)
            return x

        x = torch.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(LAYERS // BLOCK):
            y = checkpoint(block, y, use_reentrant=False)
        torch.autograd.grad(y, x)
        return float(calls[0])

    def stale() -> Any:
        scope = {"w": torch.tensor(2.0)}
        f = torch.compile(lambda x: scope["w"] * x, backend="eager")
        x = torch.tensor(3.0)
        before = f(x)
        scope["w"] = torch.tensor(5.0)
        return [before, f(x)]

    return {"around": tried(around), "twice": tried(twice), "again": tried(again), "stale": tried(stale)}


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_records() -> Values:
    import jax
    import jax.numpy as jnp

    def around() -> Any:
        def total(w: Any) -> Any:
            found = 0.0
            for i in range(STEPS):
                found = found + jnp.mean(jnp.square(w * float(i) - 2.0))
            return found

        return float(len(jax.make_jaxpr(total)(1.0).jaxpr.eqns))

    def twice() -> Any:
        _, pull = jax.vjp(lambda x: x**2, 3.0)
        return [pull(1.0)[0], pull(1.0)[0]]

    def again() -> Any:
        calls = [0]

        def count() -> None:
            calls[0] += 1

        def block(x: Any) -> Any:
            for _ in range(BLOCK):
                jax.debug.callback(count)
                x = jnp.sin(x)
            return x

        def chain(x: Any) -> Any:
            for _ in range(LAYERS // BLOCK):
                x = jax.checkpoint(block)(x)
            return x

        jax.block_until_ready(jax.grad(chain)(1.0))
        jax.effects_barrier()
        return float(calls[0])

    def stale() -> Any:
        scope = {"w": jnp.array(2.0)}
        f = jax.jit(lambda x: scope["w"] * x)
        before = f(3.0)
        scope["w"] = jnp.array(5.0)
        return [before, f(3.0)]

    return {"around": tried(around), "twice": tried(twice), "again": tried(again), "stale": tried(stale)}


TABLES: dict[str, dict[str, Any]] = {
    "records-and-caches": {
        "caption": "Records and caches",
        "digits": 4,
        "rows": {
            "around": "operations of 100 steps, total = total + loss (TensorFlow, JAX: as traced)",
            "twice": "dx²/dx at 3, two gradients from one record",
            "again": "calls of a layer: 100 layers in 10 checkpointed blocks",
            "stale": "w·3, compiled at w = 2, then called again with w = 5",
        },
        "makers": (tensorflow_records, torch_records, jax_records),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
