"""Truth tables of lesson 05: log(1 + exp(x)) for large x, floor with another rule in the backward pass, and a hook.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_05_custom_rules.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measurement import Values, tried, write_tables

FAR, FAR32 = 1000.0, 89.0
X = [1.7, 2.3]


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_slope(f: Callable[[Any], Any], x: Any, dtype: str = "float64") -> Any:
    import tensorflow as tf

    x = tf.constant(x, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(f(x))
    return tape.gradient(y, x)


def tensorflow_log() -> Values:
    import tensorflow as tf

    def composed(x: Any) -> Any:
        return tf.math.log(1 + tf.exp(x))

    @tf.custom_gradient
    def own(x: Any) -> Any:
        return tf.math.softplus(x), lambda g: g * tf.sigmoid(x)

    def twice() -> Any:
        x = tf.constant(0.0, tf.float64)
        with tf.GradientTape() as outer:
            outer.watch(x)
            slope = tensorflow_slope(own, x)
        return outer.gradient(slope, x)

    return {
        "composed": tried(lambda: tensorflow_slope(composed, FAR)),
        "single": tried(lambda: tensorflow_slope(composed, FAR32, "float32")),
        "own": tried(lambda: tensorflow_slope(own, FAR)),
        "library": tried(lambda: tensorflow_slope(tf.math.softplus, FAR)),
        "second": tried(twice),
    }


def tensorflow_floor() -> Values:
    import tensorflow as tf

    @tf.custom_gradient
    def own(x: Any) -> Any:
        return tf.floor(x), lambda g: 5 * g

    def by_name() -> Any:
        graph = tf.Graph()
        with graph.as_default(), graph.gradient_override_map({"Floor": "Identity"}):
            x = tf.constant(X, tf.float64)
            slope = tf.compat.v1.gradients(tf.floor(x), x)[0]
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run(slope)

    return {
        "plain": tried(lambda: tensorflow_slope(tf.floor, X)),
        "map": tried(by_name),
        "five": tried(lambda: tensorflow_slope(own, X)),
        "hook": "no hooks",
    }


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_slope(f: Callable[[Any], Any], x: Any, dtype: str = "float64") -> Any:
    import torch

    x = torch.tensor(x, dtype=getattr(torch, dtype), requires_grad=True)
    return torch.autograd.grad(f(x).sum(), x)[0]


def torch_log() -> Values:
    import torch

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return torch.nn.functional.softplus(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * torch.sigmoid(ctx.saved_tensors[0])

    def composed(x: Any) -> Any:
        return torch.log(1 + torch.exp(x))

    def twice() -> Any:
        x = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
        (slope,) = torch.autograd.grad(Own.apply(x), x, create_graph=True)
        return torch.autograd.grad(slope, x)[0]

    return {
        "composed": tried(lambda: torch_slope(composed, FAR)),
        "single": tried(lambda: torch_slope(composed, FAR32, "float32")),
        "own": tried(lambda: torch_slope(Own.apply, FAR)),
        "library": tried(lambda: torch_slope(torch.nn.functional.softplus, FAR)),
        "second": tried(twice),
    }


def torch_floor() -> Values:
    import torch

    class Five(torch.autograd.Function):
        @staticmethod
        def forward(_ctx: Any, x: Any) -> Any:
            return torch.floor(x)

        @staticmethod
        def backward(_ctx: Any, g: Any) -> Any:
            return 5 * g

    def hooked(x: Any) -> Any:
        y = x**2
        y.register_hook(lambda g: 2 * g)
        return y + 3 * x

    return {
        "plain": tried(lambda: torch_slope(torch.floor, X)),
        "map": "no such map",
        "five": tried(lambda: torch_slope(Five.apply, X)),
        "hook": tried(lambda: torch_slope(hooked, 3.0)),
    }


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_log() -> Values:
    import jax
    import jax.numpy as jnp

    def composed(x: Any) -> Any:
        return jnp.log(1 + jnp.exp(x))

    own = jax.custom_vjp(jax.nn.softplus)
    own.defvjp(lambda x: (jax.nn.softplus(x), x), lambda x, g: (g * jax.nn.sigmoid(x),))
    return {
        "composed": tried(lambda: jax.grad(composed)(FAR)),
        "single": tried(lambda: jax.grad(composed)(jnp.float32(FAR32))),
        "own": tried(lambda: jax.grad(own)(FAR)),
        "library": tried(lambda: jax.grad(jax.nn.softplus)(FAR)),
        "second": tried(lambda: jax.grad(jax.grad(own))(0.0)),
    }


def jax_floor() -> Values:
    import jax
    import jax.numpy as jnp

    five = jax.custom_vjp(jnp.floor)
    five.defvjp(lambda x: (jnp.floor(x), None), lambda _, g: (5 * g,))

    def slope(f: Callable[[Any], Any]) -> Any:
        return jax.grad(lambda x: f(x).sum())(jnp.array(X))

    return {
        "plain": tried(lambda: slope(jnp.floor)),
        "map": "no such map",
        "five": tried(lambda: slope(five)),
        "hook": "no hooks",
    }


TABLES: dict[str, dict[str, Any]] = {
    "custom-log1pexp": {
        "caption": "The slope of log(1 + exp(x))",
        "digits": 4,
        "rows": {
            "composed": "log(1 + exp(x)), at 1000",
            "single": "the same in float32, at 89",
            "own": "with a custom rule, at 1000",
            "library": "the library's softplus, at 1000",
            "second": "second derivative of the custom rule, at 0",
        },
        "makers": (tensorflow_log, torch_log, jax_log),
    },
    "floor-override": {
        "caption": "floor at (1.7, 2.3), and a hook",
        "digits": 4,
        "rows": {
            "plain": "floor with its own rule",
            "map": "floor with the rule Identity by name (TensorFlow: in a graph)",
            "five": "floor with a custom rule, 5·g",
            "hook": "x² + 3x at 3, with a hook that doubles the gradient of x²",
        },
        "makers": (tensorflow_floor, torch_floor, jax_floor),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
