"""Truth table of lesson 18: the cost of layers, forward and backward, by the libraries' own counters.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_18_backward_cost.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from measurement import Values, tried, write_tables

SIZES, BATCH = (4, 8, 8, 2), 10
RNG = np.random.default_rng(18)
X = RNG.normal(size=(BATCH, SIZES[0]))
WEIGHTS = [RNG.normal(size=shape) for shape in pairwise(SIZES)]
BIASES = [RNG.normal(size=size) for size in SIZES[1:]]
SEED = RNG.normal(size=(BATCH, SIZES[-1]))


def rows(count: Callable[[bool, bool, bool], int]) -> Values:
    """The five rows from one counter: count(layers with bias, tanh and loss; backward; also to the input)."""
    back = lambda whole, to_input: count(whole, True, to_input) - count(whole, False, False)  # noqa: E731
    return {
        "forward": tried(lambda: count(False, False, False)),
        "weights": tried(lambda: back(False, False)),
        "input": tried(lambda: back(False, True)),
        "whole": tried(lambda: count(True, False, False)),
        "whole-back": tried(lambda: back(True, False)),
    }


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_cost() -> Values:
    import tensorflow as tf

    weights, biases = ([tf.Variable(one) for one in group] for group in (WEIGHTS, BIASES))

    def forward(x: Any, whole: bool) -> Any:
        for k, weight in enumerate(weights):
            x = tf.matmul(x, weight)
            if whole:
                x = x + biases[k]
                x = tf.tanh(x) if k < 2 else x
        return tf.reduce_mean(x**2) if whole else x

    def count(whole: bool, backward: bool, to_input: bool) -> int:
        def run(x: Any, seed: Any) -> Any:
            if not backward:
                return forward(x, whole)
            with tf.GradientTape() as tape:
                if to_input:
                    tape.watch(x)
                y = forward(x, whole)
            sources = [*weights, *(biases if whole else []), *([x] if to_input else [])]
            return y, tape.gradient(y, sources, output_gradients=None if whole else seed)

        graph = tf.function(run).get_concrete_function(tf.constant(X), tf.constant(SEED)).graph
        options = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation()
        found = tf.compat.v1.profiler.profile(graph, options={**options, "output": "none"})
        return int(found.total_float_ops)

    return rows(count)


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_cost() -> Values:
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    def count(whole: bool, backward: bool, to_input: bool) -> int:
        weights = [torch.tensor(one, requires_grad=True) for one in WEIGHTS]
        biases = [torch.tensor(one, requires_grad=True) for one in BIASES]
        x = torch.tensor(X, requires_grad=to_input)
        with FlopCounterMode(display=False) as counter:
            y = x
            for k, weight in enumerate(weights):
                y = y @ weight
                if whole:
                    y = y + biases[k]
                    y = torch.tanh(y) if k < 2 else y
            if whole:
                y = (y**2).mean()
            if backward:
                y.backward(None if whole else torch.tensor(SEED))
        return int(counter.get_total_flops())

    return rows(count)


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_cost() -> Values:
    import jax
    import jax.numpy as jnp

    def forward(x: Any, weights: Any, biases: Any, whole: bool) -> Any:
        for k, weight in enumerate(weights):
            x = x @ weight
            if whole:
                x = x + biases[k]
                x = jnp.tanh(x) if k < 2 else x
        return jnp.mean(x**2) if whole else x

    def count(whole: bool, backward: bool, to_input: bool) -> int:
        def run(x: Any, weights: Any, biases: Any, seed: Any) -> Any:
            if not backward:
                return forward(x, weights, biases, whole)
            sources = [weights, *([biases] if whole else []), *([x] if to_input else [])]

            def of(*given: Any) -> Any:
                rest = list(given[1:])
                own_biases = rest.pop(0) if whole else biases
                return forward(rest[0] if to_input else x, given[0], own_biases, whole)

            y, pull = jax.vjp(of, *sources)
            return y, pull(jnp.ones_like(y) if whole else seed)

        compiled = jax.jit(run).lower(X, WEIGHTS, BIASES, SEED).compile()
        found = compiled.cost_analysis()
        return int((found[0] if isinstance(found, list) else found)["flops"])

    return rows(count)


TABLES: dict[str, dict[str, Any]] = {
    "backward-cost": {
        "caption": "Operations that each library counts: a batch of 10 through layers of 4, 8, 8 and 2",
        "digits": 0,
        "rows": {
            "forward": "the three products, forward",
            "weights": "backward, to the weights",
            "input": "backward, to the input too",
            "whole": "with biases, tanh and a loss, forward",
            "whole-back": "backward, to weights and biases",
        },
        "makers": (tensorflow_cost, torch_cost, jax_cost),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
