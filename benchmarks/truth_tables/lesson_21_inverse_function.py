"""Truth table of lesson 21: a function that is not recorded, and the derivative of the inverse of x³ + x at y = 10.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_21_inverse_function.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measurement import Values, tried, write_tables

Y, START, STEPS, HALVINGS = 10.0, 1.0, 6, 60


def newton(y: Any, steps: int = STEPS) -> Any:
    """Newton's steps from 1, for numbers of any library."""
    x = START + 0 * y
    for _ in range(steps):
        x = x - (x**3 + x - y) / (3 * x**2 + 1)
    return x


def halved(y: Any, number: Callable[[float], Any], where: Callable[[Any, Any, Any], Any]) -> Any:
    """Bisection of a bracket; ``number`` and ``where`` are the library's constructor of constants and its selection."""
    lo, hi = number(-3.0), number(3.0)
    for _ in range(HALVINGS):
        x = (lo + hi) / 2
        below = x**3 + x < y
        lo, hi = where(below, x, lo), where(below, hi, x)
    return x


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow() -> Values:
    import tensorflow as tf

    def slope(f: Callable[[Any], Any], at: float = Y) -> Any:
        y = tf.constant(at, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(y)
            x = f(y)
        return tape.gradient(x, y)

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def inverse(y: Any) -> Any:
        x = newton(y)
        return x, lambda g: g / (3 * x**2 + 1)

    return {
        "box": tried(lambda: slope(lambda x: tf.numpy_function(lambda v: v**3 + v, [x], tf.float64), at=2.0)),
        "newton": tried(lambda: slope(newton)),
        "one": tried(lambda: slope(lambda y: newton(y, 1))),
        "halved": tried(lambda: slope(lambda y: halved(y, lambda v: tf.constant(v, tf.float64), tf.where))),
        "own": tried(lambda: slope(inverse)),
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch() -> Values:
    import torch

    def slope(f: Callable[[Any], Any], at: float = Y) -> Any:
        y = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(f(y), y)[0]

    class Inverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, y: Any) -> Any:
            x = newton(y)
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g / (3 * x**2 + 1)

    def box(x: Any) -> Any:
        value = x.detach().numpy()
        return torch.tensor(value**3 + value)

    return {
        "box": tried(lambda: slope(box, at=2.0)),
        "newton": tried(lambda: slope(newton)),
        "one": tried(lambda: slope(lambda y: newton(y, 1))),
        "halved": tried(
            lambda: slope(lambda y: halved(y, lambda v: torch.tensor(v, dtype=torch.float64), torch.where))
        ),
        "own": tried(lambda: slope(Inverse.apply)),
    }


# --- JAX ----------------------------------------------------------------------------------------------------


def jax() -> Values:
    import jax
    import jax.numpy as jnp

    def box(x: Any) -> Any:
        return jax.pure_callback(lambda v: v**3 + v, jax.ShapeDtypeStruct((), jnp.float64), x)

    @jax.custom_vjp
    def inverse(y: Any) -> Any:
        return newton(y)

    def forward(y: Any) -> Any:
        x = newton(y)
        return x, x

    inverse.defvjp(forward, lambda x, g: (g / (3 * x**2 + 1),))

    return {
        "box": tried(lambda: jax.grad(box)(2.0)),
        "newton": tried(lambda: jax.grad(newton)(Y)),
        "one": tried(lambda: jax.grad(lambda y: newton(y, 1))(Y)),
        "halved": tried(lambda: jax.grad(lambda y: halved(y, jnp.asarray, jnp.where))(Y)),
        "own": tried(lambda: jax.grad(inverse)(Y)),
    }


TABLES: dict[str, dict[str, Any]] = {
    "inverse-slope": {
        "caption": "F(x) = x³ + x: through a box that is not recorded, and the slope of the inverse at y = 10",
        "digits": 4,
        "rows": {
            "box": "F behind NumPy, at x = 2: dF/dx",
            "one": "one step of Newton from 1: dx/dy",
            "newton": "six steps of Newton: dx/dy",
            "halved": "a bracket halved 60 times: dx/dy",
            "own": "an own rule, 1/F′(x): dx/dy",
        },
        "makers": (tensorflow, torch, jax),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
