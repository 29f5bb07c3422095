"""Decompositions, linear systems, a Newton step, and a least-squares fit from its start to its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import (
    COMPILED,
    DONATED,
    EAGER,
    HAND,
    JAX,
    TORCH,
    System,
    Systems,
    jit,
    kit,
    limit,
)
from benchmarks.library_comparison.workloads.steps import Step

SOLVE = "limit: one factorization and solve"
LIBRARY, FORWARD_MODE = "kit LevenbergMarquardt", "PyTorch forward mode"
ITERATIONS = 8


# ------------------------------------------------------------------------------------------------- steps of training
def gaussian_process(n: int) -> Callable[[Setting], Systems]:
    """A step on the marginal likelihood of a Gaussian process: a Cholesky decomposition and two triangular solves."""

    def build(s: Setting) -> Systems:
        rng, m = np.random.default_rng(0), s.sized(n, 6)
        x = np.sort(rng.uniform(0, 4, m))
        y = np.sin(2 * x) + 0.1 * rng.standard_normal(m)
        start = [np.asarray(a) for a in (0.1, -0.2, -2.0)]  # logarithms of scale, variance and noise
        step = Step(start, [(x[:, None] - x) ** 2, y, np.eye(m)], 1e-4)

        def loss(exp: Any, log: Any, cholesky: Any, solve: Any, diagonal: Any) -> Any:
            def negative_log_likelihood(p: Any, squares: Any, y: Any, eye: Any) -> Any:
                scale, variance, noise = map(exp, p)
                factor = cholesky(exp(squares * (-0.5 * scale)) * variance + eye * noise)
                return 0.5 * (y * solve(factor, y)).sum() + log(diagonal(factor)).sum()

            return negative_log_likelihood

        def torch(p: Any, *data: Any) -> Any:
            t = s.torch
            solve = lambda factor, y: t.cholesky_solve(y[:, None], factor)[:, 0]  # noqa: E731
            return loss(t.exp, t.log, t.linalg.cholesky, solve, t.diagonal)(p, *data)

        def jax(p: Any, *data: Any) -> Any:
            j, linalg = s.jax.numpy, s.jax.scipy.linalg
            solve = lambda factor, y: linalg.cho_solve((factor, True), y)  # noqa: E731
            return loss(j.exp, j.log, j.linalg.cholesky, solve, j.diagonal)(p, *data)

        return step.systems(s, loss(ak.exp, ak.log, ak.cholesky, ak.cholesky_solve, ak.diagonal), torch, jax)

    return build


def solve(n: int) -> Callable[[Setting], Systems]:
    """A step through a linear system with four right-hand sides."""

    def build(s: Setting) -> Systems:
        rng, m = np.random.default_rng(0), s.sized(n, 5)
        a = np.eye(m) * 2 + rng.standard_normal((m, m)) * 0.5 * m**-0.5
        step = Step([a, rng.standard_normal((m, 4))], [rng.standard_normal((m, 4))], 1e-2)

        def loss(solve: Any) -> Any:
            return lambda p, target: ((solve(*p) - target) ** 2).sum()

        torch = lambda *a: loss(s.torch.linalg.solve)(*a)  # noqa: E731
        jax = lambda *a: loss(s.jax.numpy.linalg.solve)(*a)  # noqa: E731
        least = {SOLVE: limit(lambda: np.linalg.solve(*step.start))}
        return step.systems(s, loss(ak.solve), torch, jax) | least

    return build


# -------------------------------------------------------------------------------------------------------- a Newton step
def newton(s: Setting) -> Systems:
    """One step of Newton's method for logistic regression: gradient, Hessian, and a linear system."""
    rng, (rows, n) = np.random.default_rng(0), s.sized((2000, 30), (20, 3))
    x, y = rng.standard_normal((rows, n)), np.where(rng.random(rows) < 0.5, -1.0, 1.0)
    start = np.zeros(n)

    def loss(softplus: Any) -> Any:
        return lambda w, x, y: softplus(-(y * (x @ w))).mean() + 0.05 * (w * w).sum()

    f = loss(ak.softplus)
    slopes, curvatures = ak.grad(f), ak.hessian(f)
    step = lambda w, x, y: w - ak.solve(curvatures(w, x, y), slopes(w, x, y))  # noqa: E731
    fast, given = ak.compile(step), (ak.constant(x), ak.constant(y))
    systems = {EAGER: _moving(step, ak.constant, start, given),
               COMPILED: _moving(fast, ak.constant, start, given, fast),
               HAND: _moving(_newton_by_hand, np.array, start, (x, y))}  # fmt: skip
    if s.torch is not None:
        t = s.torch
        f = loss(t.nn.functional.softplus)
        slope, forms = t.func.grad(f), {TORCH: t.func.hessian(f), FORWARD_MODE: t.func.jacfwd(t.func.jacfwd(f))}
        for name, curvature in forms.items():
            one = lambda w, x, y, c=curvature: w - t.linalg.solve(c(w, x, y), slope(w, x, y))  # noqa: E731
            systems[name] = _moving(one, t.tensor, start, (t.tensor(x), t.tensor(y)))
    if s.jax is not None:
        j = s.jax.numpy
        f = loss(s.jax.nn.softplus)
        one = lambda w, x, y: w - j.linalg.solve(s.jax.hessian(f)(w, x, y), s.jax.grad(f)(w, x, y))  # noqa: E731
        for name, donated in ((JAX, ()), (DONATED, (0,))):
            fast = s.jax.jit(one, donate_argnums=donated)
            waiting = lambda *a, fast=fast: s.jax.block_until_ready(fast(*a))  # noqa: E731
            systems[name] = _moving(waiting, j.array, start, (j.asarray(x), j.asarray(y)))
    return systems


def _moving(step: Any, make: Any, start: Any, data: tuple[Any, ...], compiled: Any = None) -> System:
    """Steps that begin where the one before ended."""
    state = [make(start)]

    def run() -> Any:
        state[0] = step(state[0], *data)
        return state[0]

    def restart() -> None:
        state[0] = make(start)

    return System(run, restart, compiled)


def _newton_by_hand(w: Any, x: Any, y: Any) -> Any:
    p = 1 / (1 + np.exp(y * (x @ w)))
    slope = -(x.T @ (y * p)) / len(y) + 0.1 * w
    curvature = (x.T * (p * (1 - p))) @ x / len(y) + 0.1 * np.eye(len(w))
    return w - np.linalg.solve(curvature, slope)


# ---------------------------------------------------------------------------------------------------------- a whole fit
def fit(s: Setting) -> Systems:
    """A sum of two decaying exponentials and a constant, fitted by some Gauss-Newton steps with slight damping."""
    rng, rows = np.random.default_rng(0), s.sized(500, 40)
    x, truth = np.linspace(0, 5, rows), np.array([2.0, 1.5, 1.0, 0.3, 0.5])
    y = _decays(np, truth, x) + 0.001 * rng.standard_normal(rows)
    start, eye = truth * np.array([0.9, 1.1, 1.1, 0.9, 1.1]), np.eye(len(truth))

    def whole(exp: Any, jacobian: Any, solve: Any, eye: Any) -> Any:
        residuals = lambda b, x, y: _decays(exp, b, x) - y  # noqa: E731
        slopes = jacobian(residuals)

        def fitted(b: Any, x: Any, y: Any) -> Any:
            for _ in range(ITERATIONS):
                j, r = slopes(b, x, y), residuals(b, x, y)
                b = b - solve(j.T @ j + 1e-9 * eye, j.T @ r)
            return b

        return fitted

    systems = kit(whole(ak, ak.jacobian, ak.solve, ak.constant(eye)), *map(ak.constant, (start, x, y)))
    systems[LIBRARY] = _levenberg_marquardt(start, x, y)
    if s.torch is not None:
        t = s.torch
        given = [t.tensor(a) for a in (start, x, y)]
        for name, mode in ((TORCH, t.func.jacrev), (FORWARD_MODE, t.func.jacfwd)):
            f = whole(t, mode, t.linalg.solve, t.tensor(eye))
            systems[name] = System(lambda f=f: f(*given))
    if s.jax is not None:
        f = whole(s.jax.numpy, s.jax.jacfwd, s.jax.numpy.linalg.solve, eye)
        systems |= jit(s, f, start, x, y)
    return systems


def _decays(m: Any, b: Any, x: Any) -> Any:
    return b[0] * m.exp(-b[1] * x) + b[2] * m.exp(-b[3] * x) + b[4]


def _levenberg_marquardt(start: Any, x: Any, y: Any) -> System:
    """The kit's own method, which also looks when it is done."""

    def run() -> Any:
        b = ak.Variable(start)
        ak.optim.LevenbergMarquardt().minimize(lambda: _decays(ak, b, x) - y, [b])
        return b

    return System(run)
