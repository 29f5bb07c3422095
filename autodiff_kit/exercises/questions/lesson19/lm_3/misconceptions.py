"""Residuals and Jacobian of a curve that record the points at which a fit calls them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_kit.errors import RangeError
from autodiff_kit.exercises.protocol import Callback

Array = np.ndarray[Any, Any]


T = np.linspace(0, 2, 20)


PATIENCE = 1000  # calls: what a fit that does not end may ask for


@dataclass
class Watched:
    """Residuals of 2·exp(-t) at 20 points, and their Jacobian; each call's place is noted.

    Where the Jacobian is asked the fit stands; where only the residuals are asked it tries.
    """

    start: Array
    stood: list[Array] = field(default_factory=list)
    tried: list[Array] = field(default_factory=list)
    calls: int = 0

    def residual(self, p: Any) -> Array:
        """Model minus data."""
        p = self._seen(p)
        self.tried.append(p)
        return self._residual(p)

    def jacobian(self, p: Any) -> Array:
        """Its derivatives by both parameters, as columns."""
        p = self._seen(p)
        if not self.stood or not np.array_equal(p, self.stood[-1]):
            self.stood.append(p)
            self.tried.clear()
        with np.errstate(all="ignore"):
            e = np.exp(p[1] * T)
            return np.stack([e, p[0] * T * e], axis=1)

    def handles(self) -> tuple[Callback, Callback]:
        """What is handed to the learner's function."""
        return Callback(self.residual, "residual"), Callback(self.jacobian, "jacobian")

    @property
    def costs(self) -> list[float]:
        """The sums of squares where the fit stood, one after the other."""
        return [self.cost(p) for p in self.stood]

    def cost(self, p: Array) -> float:
        """The sum of squared residuals; infinite where it cannot be worked out."""
        with np.errstate(all="ignore"):
            total = float(np.sum(self._residual(p) ** 2))
        return total if np.isfinite(total) else float("inf")

    @property
    def refused(self) -> list[float]:
        """How far from the last standing place each try lay that was worse; in order."""
        if not self.stood:
            return []
        here = self.stood[-1]
        worse = (p for p in self.tried if not np.array_equal(p, here) and self.cost(p) >= self.cost(here))
        return [float(np.linalg.norm(p - here)) for p in worse]

    def _residual(self, p: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(p[0] * np.exp(p[1] * T) - 2 * np.exp(-T))

    def _seen(self, p: Any) -> Array:
        self.calls += 1
        if self.calls > PATIENCE:
            raise RangeError(f"the fit asked {PATIENCE} times and did not end")
        array = np.array(p, float)
        if array.shape != (2,):
            raise ValueError(f"residual and jacobian take an array of 2 parameters; got shape {array.shape}.")
        return array
