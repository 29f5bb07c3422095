"""Some rows of a large table: a step that moves only these."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import Systems
from benchmarks.library_comparison.workloads.steps import Step

SPARSE = "PyTorch sparse rows"


def rows(s: Setting) -> Systems:
    """Rows of an embedding that are looked up, compared with others, and moved by gradient descent."""
    rng, (count, width, batch) = np.random.default_rng(0), s.sized((100_000, 64, 1024), (20, 3, 6))
    ids = rng.integers(0, count, batch)
    step = Step([s.normal(rng, count, width)], [ids, s.normal(rng, batch, width)], 0.1)

    def kit(p: Any, ids: Any, goal: Any) -> Any:
        return ((ak.nn.embedding(p[0], ids) - goal) ** 2).sum()

    def torch(p: Any, ids: Any, goal: Any, sparse: bool = False) -> Any:
        return ((s.torch.nn.functional.embedding(ids, p[0], sparse=sparse) - goal) ** 2).sum()

    def jax(p: Any, ids: Any, goal: Any) -> Any:
        return ((p[0][ids] - goal) ** 2).sum()

    systems = step.systems(s, kit, torch, jax)
    if s.torch is not None:  # its fused optimizers take no gradient of rows
        systems[SPARSE] = step.torch(s, lambda *a: torch(*a, sparse=True))
    return systems
