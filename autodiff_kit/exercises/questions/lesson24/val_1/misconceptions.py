"""Orthogonal sign probes, a quadratic with a large constant, and averages over probes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]


CONSTANT = 50.0  # the height of the hill of val-1: an estimate that lets it in is far off


def orthogonal_sign_probes(rng: np.random.Generator, n: int) -> Array:
    """Draw n probes of signs, each at right angles to all others; n is a power of 2."""
    probes: Array = np.ones((1, 1))
    while len(probes) < n:
        probes = np.block([[probes, probes], [probes, -probes]])
    return np.asarray(probes * rng.choice([-1.0, 1.0], size=n))


@dataclass(frozen=True)
class OffsetQuadratic:
    """A quadratic in n numbers plus a large constant, with its gradient."""

    A: Array
    b: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, n: int) -> OffsetQuadratic:
        """Draw one whose curvature differs from direction to direction."""
        A = rng.normal(size=(n, n))
        return cls(A + A.T, rng.normal(size=n))

    def __call__(self, x: Array) -> float:
        """The value at x."""
        return float(CONSTANT + self.b @ x + 0.5 * x @ self.A @ x)

    def gradient(self, x: Array) -> Array:
        """The gradient at x."""
        return np.asarray(self.A @ x + self.b)


def mean_over_probes(of: Callable[[Array], float], E: Array) -> Array:
    """Mean over the probes e of of(e)·e."""
    return np.asarray(np.mean([of(e) * e for e in E], axis=0))
