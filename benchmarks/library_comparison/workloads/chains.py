"""Chains of operations: on one number, and elementwise on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import Systems, gradients, limit

COPY = "limit: one copy"


def _mix(m: Any, y: Any, times: int) -> Any:
    for _ in range(times):
        y = m.sin(y) * y + m.exp(-y)
    return y


def _cheap(_: Any, y: Any, times: int) -> Any:
    for _ in range(times):
        y = (y * 1.01 + 0.5) * y - y * y
    return y


def _libraries(s: Setting) -> dict[str, Any]:
    found = {"kit": ak, "torch": s.torch, "jax": s.jax and s.jax.numpy, "autograd": s.autograd and s.autograd.numpy,
             "mygrad": s.mygrad, "tensorflow": s.tensorflow}  # fmt: skip
    return {name: module for name, module in found.items() if module is not None}


def numbers(s: Setting) -> Systems:
    """a: 200 operations on one float64 number."""
    times = s.sized(40, 3)
    losses = {name: lambda x, m=m: _mix(m, x, times) for name, m in _libraries(s).items()}
    return gradients(s, [0.7], [0], **losses)


def _entries(s: Setting, body: Any, n: int) -> Systems:
    x = np.random.default_rng(0).uniform(0.1, 1.0, s.sized(n, 50)).astype(s.dtype)
    libraries = _libraries(s)
    if n > 100_000:
        libraries.pop("mygrad", None)  # it takes minutes
    total = {name: m.reduce_sum if name == "tensorflow" else m.sum for name, m in libraries.items()}
    losses = {name: lambda y, m=m, name=name: total[name](body(m, y, 4)) for name, m in libraries.items()}
    room = np.empty_like(x)
    return {**gradients(s, [x], [0], **losses), COPY: limit(lambda: np.copyto(room, x))}


def mix(n: int) -> Any:
    """b mix: 20 operations, sin and exp among them, on n entries."""
    return lambda s: _entries(s, _mix, n)


def cheap(n: int) -> Any:
    """b cheap: 20 multiplications, additions and subtractions on n entries."""
    return lambda s: _entries(s, _cheap, n)
