"""Increasing cubics that count how many values were computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.protocol import Callback

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class IncreasingCubic:
    """p x³ + q x with p, q > 0: increasing, so that each y has one x. Counts how many values it computed."""

    p: float
    q: float
    asked: int = field(default=0, compare=False)

    @classmethod
    def draw(cls, rng: np.random.Generator) -> IncreasingCubic:
        """Draw an increasing cubic."""
        p, q = rng.uniform(0.5, 2.0, size=2)
        return cls(float(p), float(q))

    @classmethod
    def example(cls, rng: np.random.Generator) -> IncreasingCubic:
        """An increasing cubic with short numbers, for the learner to try."""
        return cls(*rng.uniform(0.5, 2.0, size=2).round(1).tolist())

    def __call__(self, x: Any) -> Any:
        """The value at x, one or many."""
        self.asked += int(np.size(x))
        return self.p * x**3 + self.q * x

    def slope(self, x: Any) -> Any:
        """The slope at x."""
        return 3 * self.p * x**2 + self.q

    def functions(self) -> dict[str, Callable[[Any], Any]]:
        """F and its derivative as plain functions for the learner to try, without their formula."""

        def F(x: Any) -> Any:
            return self(x)

        def dF(x: Any) -> Any:
            return self.slope(x)

        return {"F": F, "dF": dF}

    def callbacks(self) -> tuple[Callback, Callback]:
        """F and its derivative as arguments of the learner's function."""
        return Callback(self, "F"), Callback(self.slope, "dF")
