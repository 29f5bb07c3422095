"""Truth tables of lesson 10: a stop on the mean inside a variance, and stops in a normalised value.

Run it in an environment that has the libraries::

    python benchmarks/truth_tables/lesson_10_stop_gradient.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measurement import Values, tried, write_tables

X = [1.0, 2.0, 3.0, 4.0]
Function = Callable[[Any], Any]


def variance(mean: Function, stop: Function) -> Function:
    """The variance by its definition, with or without a stop on its mean."""
    return lambda x: mean((x - stop(mean(x))) ** 2)


def first_normalised(mean: Function, above: Function, inside: Function, spread: Function) -> Function:
    """The first entry of (x - mean) / deviation, with stops on the mean above, inside, and on the variance."""
    return lambda x: ((x - above(mean(x))) / spread(variance(mean, inside)(x)) ** 0.5)[0]


def kept(x: Any) -> Any:
    """No stop."""
    return x


def variances(gradient: Function, hessian: Function, mean: Function, stop: Function, own: Function) -> Values:
    """Gradients, and first rows of Hessians."""
    whole, stopped = variance(mean, kept), variance(mean, stop)
    return {
        "whole": tried(lambda: gradient(whole)),
        "stopped": tried(lambda: gradient(stopped)),
        "second whole": tried(lambda: hessian(whole)[0]),
        "second stopped": tried(lambda: hessian(stopped)[0]),
        "second own": tried(lambda: hessian(own)[0]),
    }


def normalised(gradient: Function, mean: Function, stop: Function) -> Values:
    """Gradients of the first entry, in four designs."""
    stops = {"whole": (kept, kept, kept), "inside": (kept, stop, kept)}
    stops |= {"variance": (kept, kept, stop), "both": (stop, kept, stop)}
    return {
        key: tried(lambda wrap=wrap: gradient(first_normalised(mean, *wrap)))  # type: ignore[misc]
        for key, wrap in stops.items()
    }


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow() -> tuple[Function, Function]:
    import tensorflow as tf

    def gradient(f: Function, x: Any = None) -> Any:
        x = tf.constant(X, tf.float64) if x is None else x
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    def hessian(f: Function) -> Any:
        x = tf.constant(X, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            slope = gradient(f, x)
        return tape.jacobian(slope, x)

    return gradient, hessian


def tensorflow_variances() -> Values:
    import tensorflow as tf

    return variances(*tensorflow(), tf.reduce_mean, tf.stop_gradient, lambda x: tf.nn.moments(x, 0)[1])


def tensorflow_normalised() -> Values:
    import tensorflow as tf

    return normalised(tensorflow()[0], tf.reduce_mean, tf.stop_gradient)


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_gradient(f: Function) -> Any:
    import torch

    x = torch.tensor(X, dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(f(x), x)[0]


def torch_variances() -> Values:
    import torch

    def hessian(f: Function) -> Any:
        return torch.autograd.functional.hessian(f, torch.tensor(X, dtype=torch.float64))

    return variances(torch_gradient, hessian, torch.mean, torch.detach, lambda x: torch.var(x, correction=0))


def torch_normalised() -> Values:
    import torch

    return normalised(torch_gradient, torch.mean, torch.detach)


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_variances() -> Values:
    import jax
    import jax.numpy as jnp

    x = jnp.array(X)
    return variances(lambda f: jax.grad(f)(x), lambda f: jax.hessian(f)(x), jnp.mean, jax.lax.stop_gradient, jnp.var)


def jax_normalised() -> Values:
    import jax
    import jax.numpy as jnp

    return normalised(lambda f: jax.grad(f)(jnp.array(X)), jnp.mean, jax.lax.stop_gradient)


TABLES: dict[str, dict[str, Any]] = {
    "stop-variance": {
        "caption": "The variance of x = (1, 2, 3, 4), by its definition",
        "digits": 4,
        "rows": {
            "whole": "gradient",
            "stopped": "gradient, the mean stopped",
            "second whole": "first row of the Hessian",
            "second stopped": "first row of the Hessian, the mean stopped",
            "second own": "first row of the Hessian of the library's own (nn.moments, var)",
        },
        "makers": (tensorflow_variances, torch_variances, jax_variances),
    },
    "stop-normalised": {
        "caption": "The gradient of the first entry of (x − μ)/σ, at x = (1, 2, 3, 4)",
        "digits": 4,
        "rows": {
            "whole": "no stop",
            "inside": "μ stopped inside the variance",
            "variance": "the variance stopped",
            "both": "both stopped, μ above and the variance",
        },
        "makers": (tensorflow_normalised, torch_normalised, jax_normalised),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
