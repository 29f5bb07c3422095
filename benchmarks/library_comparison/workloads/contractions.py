"""Contractions of many factors: fits of decomposed tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

import autodiff_kit as ak
from benchmarks.library_comparison.setting import Setting
from benchmarks.library_comparison.systems import Systems
from benchmarks.library_comparison.workloads.steps import Step

RATE = 1e-3


def _fit(s: Setting, subscripts: str, shapes: list[tuple[int, ...]]) -> Systems:
    """A step towards a given tensor, which is approximated by a contraction of factors."""
    rng = np.random.default_rng(0)
    factors = [s.normal(rng, *shape, scale=shape[-1] ** -0.5) for shape in shapes]
    target = np.einsum(subscripts, *(s.normal(rng, *shape) for shape in shapes), optimize=True).astype(s.dtype)

    def loss(m: Any) -> Any:
        return lambda factors, target: ((m.einsum(subscripts, *factors) - target) ** 2).mean()

    step = Step(factors, [target], RATE)
    return step.systems(s, loss(ak), loss(s.torch), loss(s.jax and s.jax.numpy))


def four(s: Setting) -> Systems:
    """A canonical decomposition: three matrices and the weights of their columns."""
    n, r = s.sized((48, 16), (4, 3))
    return _fit(s, "ir,jr,kr,r->ijk", [(n, r), (n, r), (n, r), (r,)])


def five(s: Setting) -> Systems:
    """A tensor train with five cores."""
    n, r = s.sized((12, 8), (3, 2))
    return _fit(s, "ia,ajb,bkc,cld,dm->ijklm", [(n, r), (r, n, r), (r, n, r), (r, n, r), (r, n)])
