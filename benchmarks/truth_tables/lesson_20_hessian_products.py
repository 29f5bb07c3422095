"""Truth tables of lesson 20: Hessian products by a second reverse pass, by finite differences, and by forward mode.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_20_hessian_products.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from measurement import Values, tried, write_tables

X, V, STEP = np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1e-3
SIGNS = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
Slope = Callable[[Any], Any]


def f(x: Any) -> Any:
    """The lesson's function: its Hessian is [[2, 1], [1, 3]] everywhere."""
    return x[0] * x[0] + x[0] * x[1] + 1.5 * (x[1] * x[1])


def moved(slope: Slope, v: Any, kind: Any = np.float64) -> Any:
    """The gradients at two perturbed points."""
    x, v, h = X.astype(kind), v.astype(kind), kind(STEP)
    ahead, behind = (np.asarray(slope(x + way * h * v)) for way in (kind(1), kind(-1)))
    return (ahead - behind) / (2 * h)


def estimates(slope: Slope, kind: Any = np.float64) -> list[float]:
    """Trace and norm from all four probes."""
    products = [np.asarray(moved(slope, v, kind), float) for v in SIGNS]
    trace = np.mean([v @ p for v, p in zip(SIGNS, products, strict=True)])
    return [round(float(trace), 6), round(float(np.sqrt(np.mean([p @ p for p in products]))), 6)]


def rows(again: Callable[[], Any], slope: Slope, product: Callable[[], Any]) -> Values:
    """The rows of a library, each of them measured."""
    return {
        "again": tried(again),
        "moved": tried(lambda: moved(slope, V).round(6).tolist()),
        "product": tried(product),
        "four": tried(lambda: estimates(slope)),
        "single": tried(lambda: estimates(slope, np.float32)),
    }


def tensorflow_rows() -> Values:
    import tensorflow as tf

    def slope(x: Any) -> Any:
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    def again() -> Any:
        x = tf.Variable(X)
        with tf.GradientTape(persistent=True) as tape:
            y = f(x)
        first = tape.gradient(y, x)
        x.assign_add(STEP * V)
        return ((tape.gradient(y, x) - first) / STEP).numpy()

    def product() -> Any:
        x = tf.constant(X)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(V)) as accumulator:
            g = slope(x)
        return accumulator.jvp(g)

    return rows(again, slope, product)


def torch_rows() -> Values:
    import torch

    def slope(x: Any) -> Any:
        x = torch.tensor(x, requires_grad=True)
        return torch.autograd.grad(f(x), x)[0].numpy()

    def again() -> Any:
        x = torch.tensor(X, requires_grad=True)
        y = f(x)
        (first,) = torch.autograd.grad(y, x, retain_graph=True)
        with torch.no_grad():
            x += STEP * torch.tensor(V)
        return (torch.autograd.grad(y, x)[0] - first) / STEP

    return rows(again, slope, lambda: torch.autograd.functional.hvp(f, torch.tensor(X), torch.tensor(V))[1])


def jax_rows() -> Values:
    import jax
    import jax.numpy as jnp

    def again() -> Any:
        x = jnp.array(X)
        _, pull = jax.vjp(f, x)
        (first,) = pull(jnp.ones(()))
        x = x + STEP * V
        return (pull(jnp.ones(()))[0] - first) / STEP

    return rows(
        again,
        lambda x: jax.grad(f)(jnp.array(x)),
        lambda: jax.jvp(jax.grad(f), (jnp.array(X),), (jnp.array(V),))[1],
    )


TABLES: dict[str, dict[str, Any]] = {
    "hessian-probes": {
        "caption": "f = x0² + x0·x1 + 1.5·x1² at (1, 2), v = (1, 1), h = 0.001: H v is (3, 4)",
        "digits": 4,
        "rows": {
            "again": "the same record asked again, after x has moved: difference / h",
            "moved": "f evaluated anew at x + h v and x − h v",
            "product": "the library's exact product",
            "four": "trace and norm by moving, all four sign probes",
            "single": "the same in float32",
        },
        "makers": (tensorflow_rows, torch_rows, jax_rows),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
