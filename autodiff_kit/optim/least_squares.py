"""Residuals as functions of one vector, and the linear model of them around a point."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.pytree import flatten
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Value, Variable, plain
from autodiff_kit.core.validation import function
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.optim.validation import listed

__all__ = ["EPS", "Linear", "Point", "Problem", "Vector"]

Vector = np.ndarray[Any, np.dtype[np.float64]]
EPS = float(np.finfo(np.float64).eps)
MEMORY = 0.5
"""How much of an earlier column length is remembered: all of it would slow a fit that comes from a steep place."""


@dataclass(frozen=True)
class Point:
    """Where the residuals were evaluated; the tape stands ready for the Jacobian."""

    at: Vector
    residuals: Vector
    cost: float
    tape: GradientTape
    target: Tensor


class Problem:
    """Residuals and Jacobian as functions of one vector: all variables, end to end."""

    def __init__(self, residual_fn: Callable[[], Tensor], variables: Iterable[Variable]) -> None:
        self.residual_fn = function("residual_fn", residual_fn)
        self.variables = _movable(variables)
        self.ends = np.cumsum([v.size for v in self.variables])[:-1]
        self.eps = max(float(np.finfo(v.dtype).eps) for v in self.variables)
        self.rows = -1
        self.jacobians = 0

    def here(self) -> Vector:
        """Where the variables stand."""
        return np.concatenate([np.asarray(plain(v), np.float64).reshape(-1) for v in self.variables])

    def put(self, at: Vector) -> None:
        """Move the variables there, as far as their dtypes can hold it."""
        with np.errstate(over="ignore"):
            for v, part in zip(self.variables, np.split(at, self.ends), strict=True):
                v.assign(part.reshape(v.shape).astype(v.dtype))

    def evaluate(self) -> Point:
        """Residuals where the variables stand; the tape stays ready for the Jacobian."""
        tape = GradientTape(watch_accessed_variables=False)
        with np.errstate(all="ignore"):
            with tape:
                tape.watch(self.variables)
                target = self.residual_fn()
            residuals = self._vector(target)
            return Point(self.here(), residuals, 0.5 * float(residuals @ residuals), tape, target)

    def _vector(self, target: Any) -> Vector:
        if not isinstance(target, Value) or target.dtype.kind != "f":
            kind = target.dtype if isinstance(target, Value) else type(target).__name__
            raise DtypeError(f"residual_fn returns a Tensor of residuals, got {kind}; leave the record nowhere")
        if target.ndim != 1:
            raise ShapeError(f"residual_fn returns a vector (m,), got shape {target.shape}; use ak.ravel")
        if self.rows not in (-1, target.size):
            raise ShapeError(
                f"residual_fn returned {self.rows} residuals, then {target.size}; a fit needs the same ones each time"
            )
        self.rows = target.size
        return np.asarray(plain(target), np.float64)

    def jacobian(self, point: Point) -> Vector:
        """Of shape (m, n); a variable that no residual depends on has columns of zeros."""
        self.jacobians += 1
        with np.errstate(all="ignore"):
            found = point.tape.jacobian(point.target, self.variables)
        if all(j is None for j in found):
            raise StructureError(
                "no residual depends on a variable. Read the variables inside residual_fn, and leave the record "
                "nowhere on the way (np.asarray, .numpy() and float() do)."
            )
        parts = [
            np.zeros((self.rows, v.size)) if j is None else j.numpy().reshape(self.rows, v.size)
            for j, v in zip(found, self.variables, strict=True)
        ]
        return np.concatenate(parts, axis=1, dtype=np.float64)


class Linear:
    """The residuals around a point, to first order, in directions that do not disturb one another.

    ``J / scale = left · diag(singular) · directions``; ``along`` are the residuals' parts along ``left``.
    """

    def __init__(self, point: Point, jacobian: Vector, earlier: Vector) -> None:
        self.jacobian, r = jacobian, point.residuals
        lengths = np.linalg.norm(jacobian, axis=0)
        self.scale = np.maximum(lengths, MEMORY * earlier)
        self.units = np.where(self.scale > 0.0, self.scale, 1.0)
        q, triangle = np.linalg.qr(jacobian / self.units)
        u, s, self.directions = np.linalg.svd(triangle, full_matrices=False)
        self.left = q @ u
        self.singular = np.where(s > EPS * max(jacobian.shape) * s.max(initial=0.0), s, 0.0)
        self.along = self.left.T @ r
        self.length = float(np.linalg.norm(r))
        self.slope = float(np.linalg.norm(self.along[self.singular > 0.0]))
        most = np.where(lengths > 0.0, lengths, 1.0) * (self.length or 1.0)
        self.cosine = float((np.abs(jacobian.T @ r) / most).max(initial=0.0))

    def solve(self, along: Vector, damping: float) -> Vector:
        """The step that takes away what residuals have along ``left``, as far as damping lets it."""
        step: Vector = -(self.directions.T @ (along * self._part(damping))) / self.units
        return step

    def promise(self, damping: float) -> float:
        """What the cost is to fall on that step; a sum without differences, so that small ones keep their digits."""
        s = self.singular
        return 0.5 * float(np.sum((self.along * self._part(damping)) ** 2 * (s * s + 2.0 * damping)))

    def _part(self, damping: float) -> Vector:
        below = self.singular**2 + damping
        part: Vector = self.singular / np.where(below > 0.0, below, 1.0)
        return part

    def measure(self, step: Vector) -> float:
        """Length of a step in units in which all variables count alike."""
        return float(np.linalg.norm(self.units * step))


def _movable(variables: Any) -> list[Variable]:
    many: list[Any] = flatten(listed(variables))
    for v in many:
        if not isinstance(v, Variable) or v.dtype.kind != "f":
            kind = v.dtype if isinstance(v, Variable) else type(v).__name__
            raise DtypeError(f"a fit moves variables of a floating dtype, got {kind}; use ak.Variable(1.0)")
        if v.constraint is not None:
            raise StructureError(
                f"variable {v.name or ''} has a constraint, and a step that is projected is no step of this method. "
                "Write the bound into the model (w = ak.exp(u), ak.sigmoid(u)), or use an optimizer of gradients."
            )
    if not any(v.size for v in many):
        raise StructureError("no variable with an element was given: there is nothing to fit")
    if len({id(v) for v in many}) < len(many):
        raise StructureError("a variable is given twice; give each once")
    return many
