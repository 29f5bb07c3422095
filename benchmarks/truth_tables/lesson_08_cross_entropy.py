"""Truth tables of lesson 08: sparse cross-entropy by the libraries' own functions, and labels that are not a class.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_08_cross_entropy.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measurement import Values, plain, tried, write_tables

Z, LABEL = [0.0, 1.0, 2.0], 1
SURE = [2000.0, 0.0, 0.0]  # a wrong class is 2000 ahead


def named(f: Callable[[], Any]) -> Any:
    """Return the value, or only the name of the error, because the error itself is the result."""
    try:
        return plain(f())
    except Exception as error:  # noqa: BLE001 - whatever a library raises is what the table shows
        return type(error).__name__


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_loss() -> Values:
    import tensorflow as tf

    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits

    def slope(z: list[float]) -> Any:
        z = tf.constant(z, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(z)
            loss = sparse(LABEL, z)
        return tape.gradient(loss, z)

    def binary() -> Any:
        t = tf.one_hot(LABEL, 3, dtype=tf.float64)
        return tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(t, tf.constant(Z, tf.float64)))

    return {
        "value": tried(lambda: sparse(LABEL, tf.constant(Z, tf.float64))),
        "gradient": tried(lambda: slope(Z)),
        "raised": tried(lambda: sparse(LABEL, tf.constant(Z, tf.float32) + 10000.0)),
        "sure": tried(lambda: sparse(LABEL, tf.constant(SURE, tf.float64))),
        "steps": tried(lambda: -tf.math.log(tf.nn.softmax(tf.constant(SURE, tf.float64))[LABEL])),
        "binary": tried(binary),
        "twice": tried(lambda: sparse(LABEL, tf.nn.softmax(tf.constant(Z, tf.float64)))),
    }


def tensorflow_labels() -> Values:
    import tensorflow as tf

    def loss(label: int) -> Any:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([label]), tf.constant([Z], tf.float64))[0]

    compiled = tf.function(loss, jit_compile=True)
    return {
        "large": named(lambda: loss(3)),
        "negative": named(lambda: loss(-1)),
        "compiled": named(lambda: compiled(3)),
        "ignored": "no such label",
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_loss() -> Values:
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, one_hot, softmax

    def sparse(z: list[float], kind: Any = torch.float64, more: float = 0.0) -> Any:
        return cross_entropy(torch.tensor(z, dtype=kind) + more, torch.tensor(LABEL))

    def slope() -> Any:
        z = torch.tensor(Z, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(cross_entropy(z, torch.tensor(LABEL)), z)[0]

    def binary() -> Any:
        t = one_hot(torch.tensor(LABEL), 3).double()
        return binary_cross_entropy_with_logits(torch.tensor(Z, dtype=torch.float64), t, reduction="sum")

    return {
        "value": tried(lambda: sparse(Z)),
        "gradient": tried(slope),
        "raised": tried(lambda: sparse(Z, torch.float32, 10000.0)),
        "sure": tried(lambda: sparse(SURE)),
        "steps": tried(lambda: -torch.log(softmax(torch.tensor(SURE, dtype=torch.float64), 0)[LABEL])),
        "binary": tried(binary),
        "twice": tried(lambda: cross_entropy(softmax(torch.tensor(Z, dtype=torch.float64), 0), torch.tensor(LABEL))),
    }


def torch_labels() -> Values:
    import torch
    from torch.nn.functional import cross_entropy

    def loss(label: int) -> Any:
        return cross_entropy(torch.tensor([Z], dtype=torch.float64), torch.tensor([label]))

    return {
        "large": named(lambda: loss(3)),
        "negative": named(lambda: loss(-1)),
        "compiled": "no XLA",
        "ignored": named(lambda: loss(-100)),
    }


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_loss() -> Values:
    import jax
    import jax.numpy as jnp
    import optax

    sparse = optax.softmax_cross_entropy_with_integer_labels

    return {
        "value": tried(lambda: sparse(jnp.array(Z), LABEL)),
        "gradient": tried(lambda: jax.grad(lambda z: sparse(z, LABEL))(jnp.array(Z))),
        "raised": tried(lambda: sparse(jnp.array(Z, jnp.float32) + 10000.0, LABEL)),
        "sure": tried(lambda: sparse(jnp.array(SURE), LABEL)),
        "steps": tried(lambda: -jnp.log(jax.nn.softmax(jnp.array(SURE))[LABEL])),
        "binary": tried(lambda: optax.sigmoid_binary_cross_entropy(jnp.array(Z), jax.nn.one_hot(LABEL, 3)).sum()),
        "twice": tried(lambda: sparse(jax.nn.softmax(jnp.array(Z)), LABEL)),
    }


def jax_labels() -> Values:
    import jax
    import jax.numpy as jnp
    import optax

    def loss(label: Any) -> Any:
        return optax.softmax_cross_entropy_with_integer_labels(jnp.array([Z]), jnp.array([label]))[0]

    return {
        "large": named(lambda: loss(3)),
        "negative": named(lambda: loss(-1)),
        "compiled": named(lambda: jax.jit(loss)(3)),
        "ignored": "no such label",
    }


TABLES: dict[str, dict[str, Any]] = {
    "cross-entropy": {
        "caption": "Logits (0, 1, 2), label 1 (JAX: optax)",
        "digits": 4,
        "rows": {
            "value": "loss",
            "gradient": "its gradient",
            "raised": "loss in float32, all logits + 10 000",
            "sure": "loss at (2000, 0, 0)",
            "steps": "−log(softmax)[1] at (2000, 0, 0)",
            "binary": "a binary loss for each class, summed",
            "twice": "loss of softmax(logits), taken for logits",
        },
        "makers": (tensorflow_loss, torch_loss, jax_loss),
    },
    "cross-entropy-labels": {
        "caption": "Logits (0, 1, 2), and a label that is no class (JAX: optax)",
        "digits": 4,
        "rows": {
            "large": "label 3",
            "negative": "label −1",
            "compiled": "label 3, compiled (TensorFlow, JAX: by XLA)",
            "ignored": "label −100, and no other row",
        },
        "makers": (tensorflow_labels, torch_labels, jax_labels),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
