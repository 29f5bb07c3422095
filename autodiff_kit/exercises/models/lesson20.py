"""Lesson 20: a quadratic with cubes in its gradient, and probes whose sums go wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..protocol import Handle

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, repr=False)
class Bowl:
    """The gradient A z + z³ of ½ z·Az + ¼ Σz⁴, in kit ops; its Hessian is A + 3 diag(z²)."""

    a: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, n: int) -> Bowl:
        """One at random."""
        half = rng.normal(size=(n, n))
        return cls(half + half.T)

    def __call__(self, z: Any) -> Any:
        """The gradient at z, so that a tape sees it."""
        import autodiff_kit as ak

        return ak.matmul(self.a, z) + z * z * z

    def __repr__(self) -> str:
        return f"<the gradient of a function of {len(self.a)} numbers>"

    def hessian(self, z: Array) -> Array:
        """The Hessian by hand."""
        return np.asarray(self.a + 3 * np.diag(z * z))


@dataclass
class Places:
    """A gradient whose calls are noted by their places."""

    bowl: Bowl
    asked: list[Array] = field(default_factory=list)

    def gradient(self, z: Any) -> Array:
        """A z + z³, as NumPy has it."""
        array = np.array(z, float)
        if array.shape != (len(self.bowl.a),):
            raise ValueError(f"grad takes an array of {len(self.bowl.a)} numbers; got shape {array.shape}.")
        self.asked.append(array)
        return self.at(array)

    def at(self, z: Array) -> Array:
        """The same, without a note."""
        return np.asarray(self.bowl.a @ z + z**3)

    @property
    def handle(self) -> Handle:
        """What is handed to the learner's function."""
        return Handle(self.gradient, "grad")


def estimates(H: Array, V: Array, what: str = "") -> Array:
    """Trace, norm and standard error from the probes V, with one thing misunderstood."""
    moved = V @ H
    quadratics, squares = (V * moved).sum(axis=1), (moved * moved).sum(axis=1)
    norm = np.sqrt(squares.mean())
    if what == "mean-of-norms":
        norm = np.sqrt(squares).mean()
    if what == "norm-from-the-quadratic-form":
        norm = np.sqrt((quadratics**2).mean())
    error = quadratics.std(ddof=0 if what == "divides-by-n" else 1)
    error /= 1.0 if what == "spread-not-error" else np.sqrt(len(V))
    return np.array([quadratics.mean(), norm, error])
