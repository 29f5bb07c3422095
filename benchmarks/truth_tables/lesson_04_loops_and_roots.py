"""Truth tables of lesson 04: the slope of a loop, and of a root that a loop finds.

Run it where the libraries are installed, as its sister ``truths.py``::

    python benchmarks/truth_tables/lesson_04_loops_and_roots.py autodiff_kit/lessons/truths
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measurement import Values, tried, write_tables

PLACES = (3.124, 3.125)
A, NEAR = 2.0, 1.41421356


def doubled(x: Any) -> Any:
    """The loop in plain Python."""
    while abs(x) < 100:
        x = x * 2
    return x


def newton(a: Any, x: Any) -> Any:
    """The root of a, from a start of one's own."""
    while abs(x * x - a) > 1e-6:
        x = (x + a / x) / 2
    return x


def halved(a: Any, low: Any, high: Any) -> Any:
    """The root of a, by bisection."""
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if middle * middle < a else (low, middle)
    return (low + high) / 2


def roots(slope: Callable[[Callable[[Any, Callable[[float], Any]], Any]], Any]) -> Values:
    """Each root by a library's slope; ``slope`` is given a function of a and of what makes a constant."""
    return {
        "newton": tried(lambda: slope(lambda a, made: newton(a, made(1.0)))),
        "at-once": tried(lambda: slope(lambda a, made: newton(a, made(NEAR)))),
        "halves": tried(lambda: slope(lambda a, made: halved(a, made(1.0), made(2.0)))),
        "one-turn": tried(lambda: slope(lambda a, made: (made(NEAR) + a / made(NEAR)) / 2)),
    }


# --- TensorFlow ---------------------------------------------------------------------------------------------


def tensorflow_loop() -> Values:
    import tensorflow as tf

    def slope(f: Callable[[Any], Any]) -> Any:
        found = []
        for place in PLACES:
            x = tf.constant(place, tf.float64)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            found.append(tape.gradient(y, x).numpy())
        return found

    def pushed() -> Any:
        found = []
        for place in PLACES:
            x = tf.constant(place, tf.float64)
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
                y = doubled(x)
            found.append(acc.jvp(y).numpy())
        return found

    def own(x: Any) -> Any:
        return tf.while_loop(lambda x: abs(x) < 100, lambda x: (x * 2,), (x,))[0]

    return {
        "eager": tried(lambda: slope(doubled)),
        "forward": tried(pushed),
        "compiled": tried(lambda: slope(tf.function(doubled))),
        "own": tried(lambda: slope(own)),
    }


def tensorflow_roots() -> Values:
    import tensorflow as tf

    def slope(f: Callable[[Any, Callable[[float], Any]], Any]) -> Any:
        a = tf.Variable(A, dtype=tf.float64)
        with tf.GradientTape() as tape:
            y = f(a, lambda value: tf.constant(value, tf.float64))
        return tape.gradient(y, a)

    return roots(slope)


# --- PyTorch ------------------------------------------------------------------------------------------------


def torch_loop() -> Values:
    import torch

    def slope(f: Callable[[Any], Any]) -> Any:
        xs = [torch.tensor(place, dtype=torch.float64, requires_grad=True) for place in PLACES]
        return [torch.autograd.grad(f(x), x)[0] for x in xs]

    def pushed() -> Any:
        xs = [torch.tensor(place, dtype=torch.float64) for place in PLACES]
        return [torch.func.jvp(doubled, (x,), (torch.ones_like(x),))[1] for x in xs]

    return {
        "eager": tried(lambda: slope(doubled)),
        "forward": tried(pushed),
        "compiled": tried(lambda: slope(torch.compile(doubled, backend="eager"))),  # the recording, not the code
        "own": "Python's own",
    }


def torch_roots() -> Values:
    import torch

    def slope(f: Callable[[Any, Callable[[float], Any]], Any]) -> Any:
        a = torch.tensor(A, dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(f(a, lambda value: torch.tensor(value, dtype=torch.float64)), a)[0]

    return roots(slope)


# --- JAX ----------------------------------------------------------------------------------------------------


def jax_loop() -> Values:
    import jax

    def own(x: Any) -> Any:
        return jax.lax.while_loop(lambda x: abs(x) < 100, lambda x: x * 2, x)

    return {
        "eager": tried(lambda: [jax.grad(doubled)(x) for x in PLACES]),
        "forward": tried(lambda: [jax.jvp(doubled, (x,), (1.0,))[1] for x in PLACES]),
        "compiled": tried(lambda: [jax.jit(jax.grad(doubled))(x) for x in PLACES]),
        "own": tried(lambda: [jax.grad(own)(x) for x in PLACES]),
    }


def jax_roots() -> Values:
    import jax
    import jax.numpy as jnp

    def slope(f: Callable[[Any, Callable[[float], Any]], Any]) -> Any:
        return jax.grad(lambda a: f(a, jnp.array))(A)

    return roots(slope)


TABLES: dict[str, dict[str, Any]] = {
    "loop-slope": {
        "caption": "while abs(x) < 100: x = x * 2, its slope at 3.124 and at 3.125",
        "digits": 0,
        "rows": {
            "eager": "Python's while, reverse mode",
            "forward": "the same, forward mode",
            "compiled": "the same, compiled, reverse mode",
            "own": "the library's own while loop, reverse mode",
        },
        "makers": (tensorflow_loop, torch_loop, jax_loop),
    },
    "loop-roots": {
        "caption": "The root of a = 2, right to six digits or more: dx/da",
        "digits": 4,
        "rows": {
            "newton": "Newton's loop, from 1",
            "at-once": "the same, from 1.41421356",
            "halves": "bisection, from 1 and 2",
            "one-turn": "one turn of Newton's method, from 1.41421356",
        },
        "makers": (tensorflow_roots, torch_roots, jax_roots),
    },
}


if __name__ == "__main__":
    write_tables(TABLES, __file__)
