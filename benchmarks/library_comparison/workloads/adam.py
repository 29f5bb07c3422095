"""h: Adam alone, on many parameters; gradients are given."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import COMPILED, DONATED, EAGER, HAND, JAX, TORCH, System, Systems, limit
from benchmarks.library_comparison.workloads.networks import FUSED, RATE, STREAM, Adam, adam_of


def adam(n: int) -> Any:
    """h: one step on n parameters."""

    def build(s: Setting) -> Systems:
        rng = np.random.default_rng(0)
        p, g = s.normal(rng, s.sized(n, 40)), s.normal(rng, s.sized(n, 40))
        own = Adam([p])
        systems = {EAGER: _kit(p, g, False), COMPILED: _kit(p, g, True)}
        systems[HAND] = System(lambda: (own.step([g]), own.p), own.restart)
        if s.torch is not None:
            systems |= {TORCH: _torch(s, p, g), FUSED: _torch(s, p, g, fused=True)}
        if s.jax is not None:
            systems |= {JAX: _jax(s, p, g, ()), DONATED: _jax(s, p, g, (0, 1, 2))}
        return systems | {STREAM: limit(_stream(p))}

    return build


def _kit(p: Any, g: Any, compiled: bool) -> System:
    w, optimizer, gradient = ak.Variable(p), ak.optim.Adam(RATE), ak.constant(g)

    def step(g: Any) -> None:
        optimizer.apply_gradients([(g, w)])

    def restart() -> None:
        w.assign(p)
        for name, value in {"m": 0 * p, "v": 0 * p, "t": 0}.items():
            optimizer.set_slot(w, name, value)

    run = ak.compile(step) if compiled else step
    return System(lambda: (run(gradient), w), restart, run if compiled else None)


def _torch(s: Setting, p: Any, g: Any, **options: Any) -> System:
    w = s.torch.tensor(p, requires_grad=True)
    w.grad = s.torch.tensor(g)
    optimizer = s.torch.optim.Adam([w], lr=RATE, **options)

    def restart() -> None:
        optimizer.state.clear()
        with s.torch.no_grad():
            w.copy_(s.torch.tensor(p))

    return System(lambda: (optimizer.step(), w), restart)


def _jax(s: Setting, p: Any, g: Any, donated: tuple[int, ...]) -> System:
    jax, jnp = s.jax, s.jax.numpy
    state: list[Any] = []
    gradient = jnp.asarray(g)

    def restart() -> None:
        state[:] = [jnp.array(p), jnp.zeros_like(p), jnp.zeros_like(p), jnp.asarray(0.0)]

    def step(p: Any, m: Any, v: Any, t: Any, g: Any) -> Any:
        return *adam_of(jnp, p, g, m, v, t + 1), t + 1

    fast = jax.jit(step, donate_argnums=donated)

    def run() -> Any:
        state[:] = jax.block_until_ready(fast(*state, gradient))
        return state[0]

    restart()
    return System(run, restart)


def _stream(p: Any) -> Any:
    """Four arrays read and three written, in place, in one loop: the memory traffic that Adam needs."""
    import numba

    rows = [p.copy() for _ in range(4)]

    @numba.njit
    def once(p: Any, m: Any, v: Any, g: Any) -> None:
        for i in range(p.size):
            p[i] = g[i] - p[i]  # back to where it was every other time
            m[i] = -m[i]
            v[i] = -v[i]

    return lambda: once(*rows)
