"""Lesson 21: rising cubics as black boxes, and roads to their inverse, right ones and others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..protocol import Handle

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]
CONSTANT = 50.0  # the height of the hill of inv-3: an estimate that lets it in is far off


@dataclass
class Cubic:
    """p x³ + q x with p, q > 0: it rises everywhere, and each y has one x. It counts the numbers it was asked for."""

    p: float
    q: float
    asked: int = field(default=0, compare=False)

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Cubic:
        """Draw a rising cubic."""
        p, q = rng.uniform(0.5, 2.0, size=2)
        return cls(float(p), float(q))

    def __call__(self, x: Any) -> Any:
        """The value at x, one or many."""
        self.asked += int(np.size(x))
        return self.p * x**3 + self.q * x

    def slope(self, x: Any) -> Any:
        """The slope at x."""
        return 3 * self.p * x**2 + self.q

    def functions(self) -> dict[str, Callable[[Any], Any]]:
        """The box and its slope, for a learner to try; they do not show what is inside."""

        def F(x: Any) -> Any:
            return self(x)

        def dF(x: Any) -> Any:
            return self.slope(x)

        return {"F": F, "dF": dF}

    def handles(self) -> tuple[Handle, Handle]:
        """The box and its slope, as they are handed in."""
        return Handle(self, "F"), Handle(self.slope, "dF")


def sign_probes(rng: np.random.Generator, n: int) -> Array:
    """Draw n probes of signs, each at right angles to all others; n is a power of 2."""
    probes: Array = np.ones((1, 1))
    while len(probes) < n:
        probes = np.block([[probes, probes], [probes, -probes]])
    return np.asarray(probes * rng.choice([-1.0, 1.0], size=n))


@dataclass(frozen=True)
class Hill:
    """A quadratic in n numbers, high above zero; its gradient is known."""

    A: Array
    b: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, n: int) -> Hill:
        """Draw one whose curvature differs from direction to direction."""
        A = rng.normal(size=(n, n))
        return cls(A + A.T, rng.normal(size=n))

    def __call__(self, x: Array) -> float:
        """The value at x."""
        return float(CONSTANT + self.b @ x + 0.5 * x @ self.A @ x)

    def gradient(self, x: Array) -> Array:
        """The gradient at x."""
        return np.asarray(self.A @ x + self.b)


def by_probes(of: Callable[[Array], float], E: Array) -> Array:
    """The mean over the probes of what ``of`` says of a probe, times the probe."""
    return np.asarray(np.mean([of(e) * e for e in E], axis=0))
