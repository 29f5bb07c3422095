"""Truth tables of lesson 11: sums and means of segments, one of them empty, and ids out of range.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_11_segments.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from typing import Any

from measurement import Values, tried, write_tables

H, IDS, SEGMENTS = [1.0, 2.0, 3.0, 4.0, 5.0], [0, 0, 1, 1, 1], 3
TOO_LARGE, NEGATIVE = [*IDS[:4], SEGMENTS], [*IDS[:4], -1]


def short(numbers: Any) -> str:
    """Numbers with up to three hundred digits in a short form."""
    return "[" + " ".join(f"{one:.3g}" for one in numbers) + "]"


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_means() -> Values:
    import tensorflow as tf

    h, ids, ones = tf.constant(H, tf.float64), tf.constant(IDS), tf.ones(len(H), tf.float64)

    def total(x: Any) -> Any:
        return tf.math.unsorted_segment_sum(x, ids, SEGMENTS)

    def mean(x: Any) -> Any:
        return tf.math.unsorted_segment_mean(x, ids, SEGMENTS)

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(h)
            y = tf.reduce_sum(mean(h))
        return tape.gradient(y, h)

    return {
        "sum": tried(lambda: total(h)),
        "naive": tried(lambda: total(h) / total(ones)),
        "mean": tried(lambda: mean(h)),
        "max": tried(lambda: short(tf.math.unsorted_segment_max(h, ids, SEGMENTS).numpy())),
        "gradient": tried(gradient),
    }


def tensorflow_ids() -> Values:
    import tensorflow as tf

    def total(ids: list[int]) -> Any:
        try:
            return tf.math.unsorted_segment_sum(tf.constant(H, tf.float64), ids, SEGMENTS)
        except tf.errors.InvalidArgumentError as error:
            said = str(error).partition("}} ")[2].partition(" [Op")[0]  # without the name of the inner function
            raise tf.errors.InvalidArgumentError(None, None, said) from error

    return {
        name: tried(lambda ids=ids: total(ids))  # type: ignore[misc]
        for name, ids in (("large", TOO_LARGE), ("negative", NEGATIVE))
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_means() -> Values:
    import torch

    h, ids = torch.tensor(H, dtype=torch.float64, requires_grad=True), torch.tensor(IDS)
    lengths = torch.bincount(ids, minlength=SEGMENTS)
    total = torch.zeros(SEGMENTS, dtype=torch.float64).index_add(0, ids, h)

    def own(how: str) -> Any:
        return torch.segment_reduce(h, how, lengths=lengths)

    return {
        "sum": tried(lambda: total),
        "naive": tried(lambda: total / lengths),
        "mean": tried(lambda: own("mean")),
        "max": tried(lambda: own("max")),
        "gradient": tried(lambda: torch.autograd.grad(own("mean").sum(), h)[0]),
    }


def torch_ids() -> Values:
    import torch

    def total(ids: list[int]) -> Any:
        return torch.zeros(SEGMENTS, dtype=torch.float64).index_add(
            0, torch.tensor(ids), torch.tensor(H, dtype=torch.float64)
        )

    return {"large": tried(lambda: total(TOO_LARGE)), "negative": tried(lambda: total(NEGATIVE))}


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_means() -> Values:
    import jax
    import jax.numpy as jnp

    h, ids = jnp.array(H), jnp.array(IDS)

    def total(x: Any) -> Any:
        return jax.ops.segment_sum(x, ids, SEGMENTS)

    def mean(x: Any) -> Any:
        return total(x) / jnp.maximum(total(jnp.ones_like(x)), 1)

    return {
        "sum": tried(lambda: total(h)),
        "naive": tried(lambda: total(h) / total(jnp.ones_like(h))),
        "mean": "none of its own",
        "max": tried(lambda: jax.ops.segment_max(h, ids, SEGMENTS)),
        "gradient": tried(lambda: jax.grad(lambda x: mean(x).sum())(h)),
    }


def jax_ids() -> Values:
    import jax
    import jax.numpy as jnp

    return {
        name: tried(lambda ids=ids: jax.ops.segment_sum(jnp.array(H), jnp.array(ids), SEGMENTS))  # type: ignore[misc]
        for name, ids in (("large", TOO_LARGE), ("negative", NEGATIVE))
    }


TABLES: dict[str, dict[str, Any]] = {
    "segment-means": {
        "caption": "h = (1, 2, 3, 4, 5) with the ids 0 0 1 1 1, in 3 segments",
        "digits": 4,
        "rows": {
            "sum": "sums",
            "naive": "sums over counts",
            "mean": "means, by the library's own",
            "max": "maxima, by the library's own",
            "gradient": "gradient of the sum of means (JAX: counts kept above 0)",
        },
        "makers": (tensorflow_means, torch_means, jax_means),
    },
    "segment-ids": {
        "caption": "Sums in 3 segments of h = (1, 2, 3, 4, 5), where the last id names none of them",
        "digits": 4,
        "rows": {"large": "ids 0 0 1 1 3", "negative": "ids 0 0 1 1 −1"},
        "makers": (tensorflow_ids, torch_ids, jax_ids),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
