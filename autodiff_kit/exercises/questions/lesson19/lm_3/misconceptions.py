"""Residuals and Jacobian of a curve that record the points at which a fit calls them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff_kit.errors import RangeError
from autodiff_kit.exercises.protocol import Callback

Array = np.ndarray[Any, Any]


T = np.linspace(0, 2, 20)


MAX_CALLS = 1000  # calls: what a fit that does not end may ask for


def leads_to(step: Array, wanted: Array) -> bool:
    """Whether two steps agree to six digits."""
    return bool(np.linalg.norm(step - wanted) <= 1e-6 * np.linalg.norm(wanted))


@dataclass
class ObservedCurveFit:
    """Residuals of 2·exp(-t) at 20 points and their Jacobian, which record the parameters of each call.

    A fit has accepted the parameters at which it asks for the Jacobian; where it asks for residuals alone, it tries a step.
    """

    start: Array
    stood: list[Array] = field(default_factory=list)
    tried: list[Array] = field(default_factory=list)
    asked: list[tuple[str, Array]] = field(default_factory=list)
    """Every call in order: ``residual`` or ``jacobian``, and its parameters."""
    calls: int = 0

    def residual(self, p: Any) -> Array:
        """Model minus data."""
        p = self._seen(p)
        self.tried.append(p)
        self.asked.append(("residual", p))
        return self._residual(p)

    def jacobian(self, p: Any) -> Array:
        """Its derivatives by both parameters, as columns."""
        p = self._seen(p)
        self.asked.append(("jacobian", p))
        if not self.stood or not np.array_equal(p, self.stood[-1]):
            self.stood.append(p)
            self.tried.clear()
        return self._jacobian(p)

    def callbacks(self) -> tuple[Callback, Callback]:
        """Residual and Jacobian as arguments of the learner's function."""
        return Callback(self.residual, "residual"), Callback(self.jacobian, "jacobian")

    @property
    def costs(self) -> list[float]:
        """Sums of squared residuals at the accepted parameters, in order."""
        return [self.cost(p) for p in self.stood]

    def cost(self, p: Array) -> float:
        """The sum of squared residuals; infinite where it overflows."""
        with np.errstate(all="ignore"):
            total = float(np.sum(self._residual(p) ** 2))
        return total if np.isfinite(total) else float("inf")

    @property
    def refused(self) -> list[float]:
        """Distances of the rejected steps from the last accepted parameters, in order."""
        if not self.stood:
            return []
        here = self.stood[-1]
        worse = (p for p in self.tried if not np.array_equal(p, here) and self.cost(p) >= self.cost(here))
        return [float(np.linalg.norm(p - here)) for p in worse]

    def first_try(self, p: Array) -> Array | None:
        """The first other parameters at which residuals were asked for after the Jacobian at ``p``."""
        after = self._after_jacobian(p)
        return next((q for name, q in after if name == "residual" and not np.array_equal(p, q)), None)

    def went_back(self, p: Array, q: Array) -> bool:
        """Whether the call after the Jacobian at ``q`` belongs to ``p``, the parameters before it."""
        later = next((one for _, one in self._after_jacobian(q) if not np.array_equal(one, q)), None)
        return later is not None and (np.array_equal(later, p) or self.damping_of(p, later) is not None)

    def _after_jacobian(self, p: Array) -> list[tuple[str, Array]]:
        k = next(k for k, (name, q) in enumerate(self.asked) if name == "jacobian" and np.array_equal(p, q))
        return self.asked[k + 1 :]

    def damping_of(self, p: Array, to: Array, *, scaled: bool = True) -> float | None:
        """The power of ten (or 0) with which a damped step leads from ``p`` to ``to``; None if none does."""
        dampings = [0.0, *(10.0**k for k in range(-9, 12))]
        right = [lam for lam in dampings if leads_to(self._damped(p, lam, scaled=scaled), to - p)]
        return right[0] if right else None

    def _damped(self, p: Array, lam: float, *, scaled: bool) -> Array:
        with np.errstate(all="ignore"):
            J, r = self._jacobian(p), self._residual(p)
            A = J.T @ J
            try:
                return np.linalg.solve(A + lam * (np.diag(np.diag(A)) if scaled else np.eye(2)), -J.T @ r)
            except np.linalg.LinAlgError:
                return np.full(2, np.nan)

    def _jacobian(self, p: Array) -> Array:
        with np.errstate(all="ignore"):
            e = np.exp(p[1] * T)
            return np.stack([e, p[0] * T * e], axis=1)

    def _residual(self, p: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(p[0] * np.exp(p[1] * T) - 2 * np.exp(-T))

    def _seen(self, p: Any) -> Array:
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise RangeError(f"the fit asked {MAX_CALLS} times and did not end")
        array = np.array(p, float)
        if array.shape != (2,):
            raise ValueError(f"residual and jacobian take an array of 2 parameters; got shape {array.shape}.")
        return array
