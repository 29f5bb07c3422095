"""A function with a known gradient and Hessian that is not quadratic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, repr=False)
class QuarticGradient:
    """The gradient A z + z³ of ½ z·Az + ¼ Σz⁴, in kit ops; its Hessian is A + 3 diag(z²)."""

    a: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, n: int) -> QuarticGradient:
        """Draw one at random."""
        half = rng.normal(size=(n, n))
        return cls(half + half.T)

    def __call__(self, z: Any) -> Any:
        """The gradient at z, so that a tape sees it."""
        import autodiff_kit as ak

        return ak.matmul(self.a, z) + z * z * z

    def __repr__(self) -> str:
        return f"<the gradient of a function of {len(self.a)} numbers>"

    def hessian(self, z: Array) -> Array:
        """The Hessian, from its formula."""
        return np.asarray(self.a + 3 * np.diag(z * z))
