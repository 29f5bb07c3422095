"""A whole step of training on any loss: value, gradients, and the update of the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import (
    COMPILED,
    DONATED,
    EAGER,
    JAX,
    TORCH,
    TORCH_COMPILE,
    TRACED,
    Function,
    System,
    Systems,
    traced,
)
from benchmarks.library_comparison.workloads.networks import FUSED, RATE, adam_of


class Step:
    """The parameters of a loss at the start, its data, and the optimizer: SGD, or Adam with ``networks.RATE``."""

    def __init__(self, start: Sequence[Any], data: Sequence[Any], rate: float | None = None) -> None:
        self.start, self.data, self.rate = list(start), list(data), rate

    def systems(
        self, s: Setting, kit: Function, torch: Function, jax: Function, variants: Mapping[str, Function] = {}
    ) -> Systems:
        """The step in each library; each loss is called as ``loss(parameters, *data)``.

        ``variants`` are other ways to write the loss in PyTorch, by the names of their systems.
        """
        systems = {EAGER: self.kit(kit, False), COMPILED: self.kit(kit, True)}
        if s.torch is not None:
            systems[TORCH] = self.torch(s, torch)
            systems[FUSED] = self.torch(s, torch, fused=True)
            systems[TRACED] = self.torch(s, self._traced(s, torch), fused=True)
            systems |= {name: self.torch(s, f, fused=True) for name, f in variants.items()}
            if "torch.compile" in s.extras:
                systems[TORCH_COMPILE] = self.torch(s, s.torch.compile(torch), fused=True)
        if s.jax is not None:
            systems |= {JAX: self.jax(s, jax, ()), DONATED: self.jax(s, jax, (0,))}
        return systems

    def kit(self, loss: Function, compiled: bool) -> System:
        """The kit's step."""
        ws = [ak.Variable(p) for p in self.start]
        optimizer = ak.optim.Adam(RATE) if self.rate is None else ak.optim.SGD(self.rate)
        data = [ak.constant(a) for a in self.data]

        def step(*data: Any) -> Any:
            return optimizer.minimize(lambda: loss(ws, *data), ws)

        def restart() -> None:
            for w, p in zip(ws, self.start, strict=True):
                w.assign(p)
                for name in ("m", "v", "t") if self.rate is None else ():
                    optimizer.set_slot(w, name, 0 if name == "t" else 0 * p)

        run = ak.compile(step) if compiled else step
        return System(lambda: (run(*data), ws), restart, run if compiled else None)

    def torch(self, s: Setting, loss: Function, **options: Any) -> System:
        """PyTorch's step; ``options`` are the optimizer's."""
        torch = s.torch
        p = [torch.tensor(a, requires_grad=True) for a in self.start]
        data = [torch.tensor(a) for a in self.data]
        optimizer = (
            torch.optim.Adam(p, lr=RATE, **options)
            if self.rate is None
            else torch.optim.SGD(p, lr=self.rate, **options)
        )

        def run() -> Any:
            optimizer.zero_grad()
            value = loss(p, *data)
            value.backward()
            optimizer.step()
            return value, p

        def restart() -> None:
            optimizer.state.clear()
            with torch.no_grad():
                for a, first in zip(p, self.start, strict=True):
                    a.copy_(torch.tensor(first))

        return System(run, restart)

    def _traced(self, s: Setting, loss: Function) -> Function:
        count = len(self.start)
        graph = traced(s, lambda *a: loss(list(a[:count]), *a[count:]), [*self.start, *self.data])
        return lambda p, *data: graph(*p, *data)

    def jax(self, s: Setting, loss: Function, donated: tuple[int, ...]) -> System:
        """JAX's step; donated are the parameters, and the state of the optimizer."""
        jax, jnp = s.jax, s.jax.numpy
        both = jax.value_and_grad(loss)

        def step(state: Any, *data: Any) -> Any:
            p, m, v, t = state
            value, g = both(p, *data)
            if self.rate is not None:
                return value, ([a - self.rate * d for a, d in zip(p, g, strict=True)], m, v, t)
            moved = [adam_of(jnp, *one, t + 1) for one in zip(p, g, m, v, strict=True)]
            return value, (*([a[k] for a in moved] for k in range(3)), t + 1)

        fast, data, state = jax.jit(step, donate_argnums=donated), [jnp.asarray(a) for a in self.data], []

        def restart() -> None:
            many = [jnp.zeros_like(a) for a in self.start] if self.rate is None else []
            state[:] = [([jnp.array(a) for a in self.start], many, [jnp.copy(a) for a in many], jnp.asarray(0.0))]

        def run() -> Any:
            value, state[0] = jax.block_until_ready(fast(state[0], *data))
            return value, state[0][0]

        restart()
        return System(run, restart)


def zeros(s: Setting, *shape: int) -> Any:
    """Zeros of the dtype."""
    return np.zeros(shape, s.dtype)
