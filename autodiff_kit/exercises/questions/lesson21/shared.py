"""Increasing cubics that count how many values were computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.protocol import Callback

if TYPE_CHECKING:
    from collections.abc import Callable


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

    def handles(self) -> tuple[Callback, Callback]:
        """The box and its slope, as they are handed in."""
        return Callback(self, "F"), Callback(self.slope, "dF")
