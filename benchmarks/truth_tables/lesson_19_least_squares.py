"""Truth tables of lesson 19: sweeps for a Jacobian of residuals, counted while they run, and a complete fit.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_19_least_squares.py autodiff_kit/lessons/truths

A sweep is counted by an identity before the residuals: its rule counts each vector that passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from measurement import Values, tried, write_tables

COUNT, LIMIT = 20, 1e-20
T = np.linspace(0, 2, COUNT)
Y = 2 * np.exp(-T)
START = (1.0, 0.0)


def fitted(residuals: Callable[[Any], Any], jacobian: Callable[[Any], Any]) -> tuple[int, Any]:
    """The lesson's loop: the iterations until the cost is below the limit, and the final point."""
    p, lam, iterations = np.array(START), 1e-3, 0
    r = residuals(p)
    while r @ r >= LIMIT and iterations < 100:
        J, iterations = jacobian(p), iterations + 1
        curved = J.T @ J
        step = np.linalg.solve(curved + lam * np.diag(np.diag(curved)), -J.T @ r)
        there = residuals(p + step)
        better = there @ there < r @ r
        lam = lam / 10 if better else lam * 10
        if better:
            p, r = p + step, there
    return iterations, p


def rows(
    own: Callable[[], int], forward: Callable[[], int], reverse: Callable[[], int], fit: Callable[[], Any]
) -> Values:
    """The rows of a library, each of them measured."""
    return {
        "own": tried(own),
        "forward": tried(forward),
        "reverse": tried(reverse),
        "iterations": tried(lambda: fit()[0]),
        "end": tried(lambda: [round(float(one), 8) + 0.0 for one in fit()[1]]),
    }


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_fit() -> Values:
    import tensorflow as tf

    pulled: list[int] = []

    @tf.custom_gradient
    def counted(p: Any) -> Any:
        def back(g: Any) -> Any:
            tf.py_function(lambda: pulled.append(1), [], [])
            return tf.identity(g)

        return tf.identity(p), back

    def model(p: Any) -> Any:
        return p[0] * tf.exp(p[1] * T) - Y

    def pushes(p: Any) -> tuple[Any, int]:
        columns = []
        for direction in np.eye(2):
            p = tf.constant(p)
            with tf.autodiff.ForwardAccumulator(p, tf.constant(direction)) as accumulator:
                r = model(p)
            columns.append(accumulator.jvp(r).numpy())
        return np.stack(columns, 1), len(columns)

    def pulls(p: Any) -> int:
        pulled.clear()
        p = tf.constant(p)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(p)
            r = model(counted(p))
        tape.jacobian(r, p, experimental_use_pfor=False)
        return len(pulled)

    return rows(
        lambda: pulls(np.array(START)),
        lambda: pushes(np.array(START))[1],
        lambda: pulls(np.array(START)),
        lambda: fitted(lambda p: model(tf.constant(p)).numpy(), lambda p: pushes(p)[0]),
    )


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_fit() -> Values:
    import torch
    from torch.autograd import forward_ad

    seen = {"push": 0, "pull": 0}

    class Counted(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, p: Any) -> Any:
            return p.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            seen["pull"] += 1
            return g

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            seen["push"] += 1
            return tangent.clone()

    t, y = torch.tensor(T), torch.tensor(Y)

    def model(p: Any) -> Any:
        return p[0] * torch.exp(p[1] * t) - y

    def jacobian(p: Any, counted: Callable[[Any], Any] = Counted.apply, **how: Any) -> Any:
        seen.update(push=0, pull=0)
        return torch.autograd.functional.jacobian(
            lambda p: model(counted(p)), torch.tensor(p, dtype=torch.float64), **how
        )

    def sweeps(**how: Any) -> int:
        jacobian(START, **how)
        return seen["push"] + seen["pull"]

    def forward() -> int:
        """The columns one after the other, because a batch of pushes would need a batching rule for the identity."""
        seen.update(push=0, pull=0)
        with forward_ad.dual_level():
            for direction in torch.eye(2, dtype=torch.float64):
                p = forward_ad.make_dual(torch.tensor(START, dtype=torch.float64), direction)
                forward_ad.unpack_dual(model(Counted.apply(p)))
        return seen["push"]

    plain = lambda p: p  # noqa: E731
    return rows(
        sweeps,
        forward,
        lambda: sweeps(strategy="reverse-mode"),
        lambda: fitted(
            lambda p: model(torch.tensor(p)).numpy(),
            lambda p: jacobian(p, plain, strategy="forward-mode", vectorize=True).numpy(),
        ),
    )


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_fit() -> Values:
    import jax
    import jax.numpy as jnp

    seen: list[str] = []

    def model(p: Any) -> Any:
        return p[0] * jnp.exp(p[1] * T) - Y

    @jax.custom_jvp
    def pushed(p: Any) -> Any:
        return p

    @pushed.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        jax.debug.callback(lambda _: seen.append("push"), tangents[0])
        return primals[0], tangents[0]

    @jax.custom_vjp
    def pulled(p: Any) -> Any:
        return p

    def back(_: Any, g: Any) -> Any:
        jax.debug.callback(lambda _: seen.append("pull"), g)
        return (g,)

    pulled.defvjp(lambda p: (p, None), back)

    def sweeps(make: Callable[..., Any], counted: Callable[[Any], Any]) -> int:
        seen.clear()
        make(lambda p: model(counted(p)))(jnp.array(START))
        jax.effects_barrier()
        return len(seen)

    return rows(
        lambda: sweeps(jax.jacobian, pulled),
        lambda: sweeps(jax.jacfwd, pushed),
        lambda: sweeps(jax.jacrev, pulled),
        lambda: fitted(
            lambda p: np.asarray(model(jnp.array(p))), lambda p: np.asarray(jax.jacfwd(model)(jnp.array(p)))
        ),
    )


TABLES: dict[str, dict[str, Any]] = {
    "residual-jacobian": {
        "caption": "20 residuals p0·exp(p1·t) − y of 2 parameters, from (1, 0)",
        "digits": 4,
        "rows": {
            "own": "J when no direction is named: sweeps",
            "forward": "J by pushes",
            "reverse": "J by pulls",
            "iterations": "the loop of this lesson: iterations to a sum of squares < 1e-20",
            "end": "where it ends",
        },
        "makers": (tensorflow_fit, torch_fit, jax_fit),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
