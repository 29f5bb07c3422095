"""Truth tables of lessons 09 and 15: masks, empty rows, sparse rows, decay.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_09_15_masks_and_adam.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from lesson_01_06_09_15_basics import SCORES, VALUES
from measurement import Values, tried, write_tables

KEEP = [True, True, True, False]
# Three sentences of two words share a projection; the middle one is all padding.
WORDS = [[[1.0, 2.0], [3.0, 1.0]], [[2.0, 2.0], [0.0, 1.0]], [[1.0, 0.0], [2.0, 3.0]]]
KEPT = [[True, True], [False, False], [True, False]]
QUERY = [[1.0], [-1.0]]
SEEN = (1, 51)
STEPS = 100


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_designs() -> Values:
    import tensorflow as tf

    keep = tf.constant(KEEP)

    def into_padding(weigh: Callable[[Any], Any]) -> Any:
        s = tf.constant(SCORES, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(s)
            y = tf.reduce_sum(weigh(s) * tf.constant(VALUES, tf.float64))
        return tape.gradient(y, s)[3]

    def zero(s: Any) -> Any:
        return tf.nn.softmax(s) * tf.cast(keep, s.dtype)

    return {
        "zero": tried(lambda: into_padding(zero)),
        "renormalise": tried(lambda: into_padding(lambda s: zero(s) / tf.reduce_sum(zero(s)))),
        "infinity": tried(lambda: into_padding(lambda s: tf.nn.softmax(tf.where(keep, s, -math.inf)))),
        "ten": tried(lambda: tf.nn.softmax(tf.where(keep, SCORES, tf.constant(SCORES) - 10))[3]),
        "empty": tried(lambda: tf.keras.layers.Softmax()(tf.constant([SCORES]), mask=tf.zeros((1, 4), bool))[0]),
    }


def tensorflow_spread() -> Values:
    import tensorflow as tf

    def gradient(pick: Callable[[Any, Any], Any]) -> Any:
        w = tf.eye(2, dtype=tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(w)
            projected = tf.constant(WORDS, tf.float64) @ w
            scores = (projected @ tf.constant(QUERY, tf.float64))[..., 0]
            weights = tf.nn.softmax(tf.where(tf.constant(KEPT), scores, -math.inf))
            outputs = tf.reduce_sum(weights[..., None] * projected, axis=(1, 2))
            loss = tf.reduce_sum(pick(tf.reduce_any(tf.constant(KEPT), axis=1), outputs))
        return tf.math.count_nonzero(tf.math.is_nan(tape.gradient(loss, w)))

    return {
        "where": tried(lambda: gradient(lambda alive, p: tf.where(alive, p, 0.0))),
        "index": tried(lambda: gradient(lambda alive, p: tf.gather(p, [0, 2]))),
    }


def tensorflow_steps() -> Values:
    import tensorflow as tf

    def run(optimizer: Any, start: float, gradients: list[float]) -> Any:
        w = tf.Variable(start, dtype=tf.float64)
        for g in gradients:
            optimizer.apply_gradients([(tf.constant(g, tf.float64), w)])
        return w

    def rows(sparse: bool) -> Any:
        w, adam = tf.Variable(tf.zeros((2, 1), tf.float64)), tf.keras.optimizers.Adam(0.1, epsilon=1e-8)
        for t in range(1, STEPS + 1):
            hit = [0, 1] if t in SEEN else [1]
            g = tf.IndexedSlices(tf.ones((len(hit), 1), tf.float64), tf.constant(hit), tf.constant([2, 1]))
            adam.apply_gradients([(g if sparse else tf.convert_to_tensor(g), w)])
        return w[0, 0]

    keras = tf.keras.optimizers
    return {
        "dense": tried(lambda: rows(sparse=False)),
        "sparse": tried(lambda: rows(sparse=True)),
        "thousand": tried(lambda: run(keras.Adam(0.1, epsilon=1e-8), 0.0, [1000.0] * 3)),
        "decay": tried(lambda: run(keras.AdamW(0.1, weight_decay=0.01, epsilon=1e-8), 1.0, [0.0] * STEPS)),
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_designs() -> Values:
    import torch

    keep = torch.tensor(KEEP)

    def into_padding(weigh: Callable[[Any], Any]) -> Any:
        s = torch.tensor(SCORES, dtype=torch.float64, requires_grad=True)
        y = (weigh(s) * torch.tensor(VALUES, dtype=torch.float64)).sum()
        return torch.autograd.grad(y, s)[0][3]

    def zero(s: Any) -> Any:
        return torch.softmax(s, 0) * keep

    def empty() -> Any:
        one = torch.eye(4, dtype=torch.float64)
        q = torch.tensor([SCORES], dtype=torch.float64)
        mask = torch.zeros((1, 4), dtype=torch.bool)
        return torch.nn.functional.scaled_dot_product_attention(q, one, one, attn_mask=mask, scale=1.0)[0]

    return {
        "zero": tried(lambda: into_padding(zero)),
        "renormalise": tried(lambda: into_padding(lambda s: zero(s) / zero(s).sum())),
        "infinity": tried(lambda: into_padding(lambda s: torch.softmax(s.masked_fill(~keep, -math.inf), 0))),
        "ten": tried(lambda: torch.softmax(torch.tensor(SCORES, dtype=torch.float64) - 10.0 * ~keep, 0)[3]),
        "empty": tried(empty),
    }


def torch_spread() -> Values:
    import torch

    def gradient(pick: Callable[[Any, Any], Any]) -> Any:
        w = torch.eye(2, dtype=torch.float64, requires_grad=True)
        kept = torch.tensor(KEPT)
        projected = torch.tensor(WORDS, dtype=torch.float64) @ w
        scores = (projected @ torch.tensor(QUERY, dtype=torch.float64))[..., 0]
        weights = torch.softmax(scores.masked_fill(~kept, -math.inf), -1)
        loss = pick(kept.any(1), (weights[..., None] * projected).sum((1, 2))).sum()
        return torch.autograd.grad(loss, w)[0].isnan().sum()

    return {
        "where": tried(lambda: gradient(lambda alive, p: torch.where(alive, p, torch.zeros_like(p)))),
        "index": tried(lambda: gradient(lambda alive, p: p[[0, 2]])),
    }


def torch_steps() -> Values:
    import torch

    def run(make: Callable[[list[Any]], Any], start: float, gradients: list[float]) -> Any:
        w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
        optimizer = make([w])
        for g in gradients:
            w.grad = torch.tensor(g, dtype=torch.float64)
            optimizer.step()
        return w

    def rows(sparse: bool) -> Any:
        w = torch.zeros((2, 1), dtype=torch.float64, requires_grad=True)
        adam = (torch.optim.SparseAdam if sparse else torch.optim.Adam)([w], lr=0.1)
        for t in range(1, STEPS + 1):
            hit = [0, 1] if t in SEEN else [1]
            g = torch.sparse_coo_tensor(
                torch.tensor([hit]),
                torch.ones((len(hit), 1), dtype=torch.float64),
                (2, 1),
                check_invariants=True,
            )
            w.grad = g if sparse else g.to_dense()
            adam.step()
        return w[0, 0]

    optim = torch.optim
    return {
        "dense": tried(lambda: rows(sparse=False)),
        "sparse": tried(lambda: rows(sparse=True)),
        "thousand": tried(lambda: run(lambda w: optim.Adam(w, lr=0.1), 0.0, [1000.0] * 3)),
        "decay": tried(lambda: run(lambda w: optim.AdamW(w, lr=0.1, weight_decay=0.01), 1.0, [0.0] * STEPS)),
    }


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_designs() -> Values:
    import jax
    import jax.numpy as jnp

    keep, scores = jnp.array(KEEP), jnp.array(SCORES)

    def into_padding(weigh: Callable[[Any], Any]) -> Any:
        return jax.grad(lambda s: (weigh(s) * jnp.array(VALUES)).sum())(scores)[3]

    def zero(s: Any) -> Any:
        return jax.nn.softmax(s) * keep

    return {
        "zero": tried(lambda: into_padding(zero)),
        "renormalise": tried(lambda: into_padding(lambda s: zero(s) / zero(s).sum())),
        "infinity": tried(lambda: into_padding(lambda s: jax.nn.softmax(jnp.where(keep, s, -jnp.inf)))),
        "ten": tried(lambda: jax.nn.softmax(scores - 10.0 * ~keep)[3]),
        "empty": tried(lambda: jax.nn.softmax(scores, where=jnp.zeros(4, bool))),
    }


def jax_spread() -> Values:
    import jax
    import jax.numpy as jnp

    def gradient(pick: Callable[[Any, Any], Any]) -> Any:
        kept = jnp.array(KEPT)

        def loss(w: Any) -> Any:
            projected = jnp.array(WORDS) @ w
            weights = jax.nn.softmax(jnp.where(kept, (projected @ jnp.array(QUERY))[..., 0], -jnp.inf))
            return pick(kept.any(1), (weights[..., None] * projected).sum((1, 2))).sum()

        return jnp.isnan(jax.grad(loss)(jnp.eye(2))).sum()

    return {
        "where": tried(lambda: gradient(lambda alive, p: jnp.where(alive, p, 0.0))),
        "index": tried(lambda: gradient(lambda alive, p: p[jnp.array([0, 2])])),
    }


def jax_steps() -> Values:
    import jax.numpy as jnp
    import optax

    def run(optimizer: Any, start: Any, gradients: list[Any]) -> Any:
        w = jnp.array(start)
        state = optimizer.init(w)
        for g in gradients:
            move, state = optimizer.update(jnp.array(g), state, w)
            w = optax.apply_updates(w, move)
        return w

    rows = [[1.0 if t in SEEN else 0.0, 1.0] for t in range(1, STEPS + 1)]
    return {
        "dense": tried(lambda: run(optax.adam(0.1), [0.0, 0.0], rows)[0]),
        "sparse": "no sparse gradients",
        "thousand": tried(lambda: run(optax.adam(0.1), 0.0, [1000.0] * 3)),
        "decay": tried(lambda: run(optax.adamw(0.1, weight_decay=0.01), 1.0, [0.0] * STEPS)),
    }


TABLES: dict[str, dict[str, Any]] = {
    "attention-designs": {
        "caption": "Scores log(1, 2, 3, 4), values (10, 20, 30, 100), the fourth position is padding",
        "digits": 4,
        "rows": {
            "zero": "zero after: gradient of the padded score",
            "renormalise": "renormalised: gradient of the padded score",
            "infinity": "−inf before: gradient of the padded score",
            "ten": "−10 before: weight left on the padding",
            "empty": "its own function with a mask, nothing kept",
        },
        "makers": (tensorflow_designs, torch_designs, jax_designs),
    },
    "attention-nan-spreads": {
        "caption": "One of three rows is all −inf: nan entries (of 4) in the gradient of the shared weight",
        "digits": 4,
        "rows": {"where": "left out of the loss by where", "index": "left out by an index"},
        "makers": (tensorflow_spread, torch_spread, jax_spread),
    },
    "adam-more": {
        "caption": "Adam, lr .1, in four more cases",
        "digits": 6,
        "rows": {
            "dense": "a row with gradients at steps 1 and 51, dense",
            "sparse": "the same row, given as a sparse gradient",
            "thousand": "three gradients of 1000",
            "decay": "AdamW, decay .01, from 1, 100 zeros",
        },
        "makers": (tensorflow_steps, torch_steps, jax_steps),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
