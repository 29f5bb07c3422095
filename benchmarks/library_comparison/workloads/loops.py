"""Loops by ``scan``: hidden Markov models, a gated recurrent cell, and an ordinary differential equation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import Systems, products
from benchmarks.library_comparison.workloads.steps import Step, zeros

NATIVE_GRU = "PyTorch native GRU"
Body = Callable[[Any, Any], Any]


def python_scan(body: Body, carry: Any, xs: Any) -> Any:
    """The last carry, by a loop of Python: PyTorch has no scan that is differentiated."""
    for x in xs:
        carry = body(carry, x)
    return carry


def _last(scan: Any) -> Callable[[Body, Any, Any], Any]:
    """The last carry, by the scan of a library."""
    return lambda body, carry, xs: scan(lambda carry, x: (body(carry, x), None), carry, xs)[0]


def _markov(s: Setting, forward: bool) -> Systems:
    rng, (steps, states) = np.random.default_rng(0), s.sized((64, 32), (4, 3))
    start = [s.normal(rng, states, states), s.normal(rng, states)]
    step = Step(start, [s.normal(rng, steps, states)], 1e-2)

    def loss(scan: Any, reduce: Any) -> Any:
        def of(p: Any, scores: Any) -> Any:
            moves, first = p
            body = lambda alpha, seen: reduce(alpha[:, None] + moves, 0) + seen  # noqa: E731
            return reduce(scan(body, first, scores), 0)

        return of

    def torch(p: Any, scores: Any) -> Any:
        return loss(python_scan, s.torch.logsumexp if forward else s.torch.amax)(p, scores)

    def jax(p: Any, scores: Any) -> Any:
        reduce = s.jax.scipy.special.logsumexp if forward else s.jax.numpy.max
        return loss(_last(s.jax.lax.scan), reduce)(p, scores)

    return step.systems(s, loss(_last(ak.scan), ak.logsumexp if forward else ak.max), torch, jax)


def best_path(s: Setting) -> Systems:
    """The score of the best path through a hidden Markov model: a scan with a maximum."""
    return _markov(s, forward=False)


def all_paths(s: Setting) -> Systems:
    """The score of all paths through a hidden Markov model: a scan with logsumexp."""
    return _markov(s, forward=True)


def gated_cell(s: Setting) -> Systems:
    """A gated recurrent unit over many steps, and the sum of squares of its last state."""
    rng, (steps, batch, inputs, width) = np.random.default_rng(0), s.sized((64, 16, 32, 64), (3, 2, 4, 5))
    shapes = ((inputs, 3 * width), (width, 3 * width), (3 * width,))
    start = [s.normal(rng, *shape, scale=0.1) for shape in shapes]
    step = Step(start, [s.normal(rng, steps, batch, inputs), zeros(s, batch, width)], 1e-2)

    def loss(scan: Any, sigmoid: Any, tanh: Any) -> Any:
        def of(p: Any, x: Any, h: Any) -> Any:
            w, u, b = p

            def body(h: Any, z: Any) -> Any:
                k = h @ u
                r, i = sigmoid(z[:, :width] + k[:, :width]), sigmoid(z[:, width:-width] + k[:, width:-width])
                return (1 - i) * tanh(z[:, -width:] + r * k[:, -width:]) + i * h

            h = scan(body, h, x @ w + b)
            return (h * h).sum()

        return of

    width = shapes[1][0]
    torch = lambda *a: loss(python_scan, s.torch.sigmoid, s.torch.tanh)(*a)  # noqa: E731
    jax = lambda *a: loss(_last(s.jax.lax.scan), s.jax.nn.sigmoid, s.jax.numpy.tanh)(*a)  # noqa: E731

    def native(p: Any, x: Any, h: Any) -> Any:
        w, u, b = p
        weights = [w.T, u.T, b, s.torch.zeros_like(b)]
        h = s.torch.gru(x, h[None], weights, True, 1, 0.0, False, False, False)[1]
        return (h * h).sum()

    of_step = [(batch, width, 3 * width, steps), (batch, 3 * width, width, steps), (width, batch, 3 * width, steps)]
    of_all = [(steps * batch, inputs, 3 * width, 1), (inputs, steps * batch, 3 * width, 1)]
    least = products(s.dtype, *of_step, *of_all)
    return step.systems(s, loss(_last(ak.scan), ak.sigmoid, ak.tanh), torch, jax, {NATIVE_GRU: native}) | least


def equation(s: Setting) -> Systems:
    """A differential equation whose right-hand side is a small network, by classical Runge-Kutta steps."""
    rng, (steps, batch, n, width) = np.random.default_rng(0), s.sized((32, 32, 8, 32), (3, 2, 3, 4))
    start = [s.normal(rng, n, width, scale=n**-0.5), zeros(s, width), s.normal(rng, width, n, scale=width**-0.5)]
    y, goal = s.normal(rng, batch, n), s.normal(rng, batch, n)
    times = np.full(steps, 1 / steps, s.dtype)
    step = Step(start, [y, goal, times], 1e-2)

    def loss(scan: Any, tanh: Any) -> Any:
        def of(p: Any, y: Any, goal: Any, times: Any) -> Any:
            a, b, c = p
            slope = lambda y: tanh(y @ a + b) @ c  # noqa: E731

            def body(y: Any, dt: Any) -> Any:
                k1 = slope(y)
                k2 = slope(y + dt / 2 * k1)
                k3 = slope(y + dt / 2 * k2)
                return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + dt * k3))

            return ((scan(body, y, times) - goal) ** 2).mean()

        return of

    torch = lambda *a: loss(python_scan, s.torch.tanh)(*a)  # noqa: E731
    jax = lambda *a: loss(_last(s.jax.lax.scan), s.jax.numpy.tanh)(*a)  # noqa: E731
    return step.systems(s, loss(_last(ak.scan), ak.tanh), torch, jax)
