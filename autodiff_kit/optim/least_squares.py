"""Nonlinear least-squares problems: residuals as a function of one vector, and their linearization around a point."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.validation import check_callable
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import DtypeError, ShapeError, StructureError
from autodiff_kit.optim.validation import spoken_name, variable_list
from autodiff_kit.pytree import flatten
from autodiff_kit.transforms.automatic_compilation import CompiledFunction, run_and_compile
from autodiff_kit.transforms.lost_gradients import warn_of_lost_gradients

__all__ = ["EPS", "LeastSquaresProblem", "LinearizedResiduals", "ResidualEvaluation", "Vector"]

Vector = np.ndarray[Any, np.dtype[np.float64]]
EPS = float(np.finfo(np.float64).eps)
COMPILE_AFTER_EVALUATIONS = 40
"""Compiling takes about as long as ten iterations on a small problem, and many fits end before twenty."""
MAX_TRACES = 3
"""A function that is traced this often depends on something that changes at every call."""
SCALE_DECAY = 0.5
"""Decay of the remembered column norms: without it, a fit that starts at a steep point would be slow."""


@dataclass(frozen=True)
class ResidualEvaluation:
    """Residuals and cost at a point, with the tape that recorded them; None where a compiled function computed them."""

    at: Vector
    residuals: Vector
    cost: float
    tape: GradientTape | None
    target: Tensor


class LeastSquaresProblem:
    """Residuals and Jacobian as functions of one parameter vector, the concatenation of all variables."""

    def __init__(self, residual_fn: Callable[[], Tensor], variables: Iterable[Variable]) -> None:
        self.residual_fn = check_callable("residual_fn", residual_fn)
        self.variables = _fit_variables(variables)
        self.ends = np.cumsum([v.size for v in self.variables])[:-1]
        self.eps = max(float(np.finfo(v.dtype).eps) for v in self.variables)
        self.rows = -1
        self.jacobians = 0
        self._evaluations = 0
        self._compiled: tuple[CompiledFunction, ...] | None = None  # residuals, Jacobian

    def parameters(self) -> Vector:
        """The values of all variables as one vector."""
        return np.concatenate([np.asarray(unwrap(v), np.float64).reshape(-1) for v in self.variables])

    def assign(self, at: Vector) -> None:
        """Set the variables from a vector, rounded to their dtypes."""
        with np.errstate(over="ignore"):
            for v, part in zip(self.variables, np.split(at, self.ends), strict=True):
                v.assign(part.reshape(v.shape).astype(v.dtype))

    def evaluate(self) -> ResidualEvaluation:
        """Residuals at the current values of the variables, recorded on a tape or computed by a compiled function."""
        self._evaluations += 1
        with np.errstate(all="ignore"):
            target, tape = self._run_compiled(0), None
            if target is None:
                tape, target = self._record()
            residuals = self._checked_residuals(target)
            return ResidualEvaluation(self.parameters(), residuals, 0.5 * float(residuals @ residuals), tape, target)

    def _record(self) -> tuple[GradientTape, Any]:
        """The residuals on a tape. The function is compiled after a number of evaluations, which is worth it then."""
        record = partial(_recorded_residuals, self.residual_fn, self.variables)
        if self._evaluations != COMPILE_AFTER_EVALUATIONS:
            return record()
        jacobian = _jacobian_function(self.residual_fn, self.variables)
        found, self._compiled = run_and_compile(record, self.residual_fn, jacobian)
        return found  # type: ignore[no-any-return]

    def _run_compiled(self, which: int) -> Any:
        """What a compiled function gives; None where there is none, and from then on if it cannot be compiled."""
        if self._compiled is not None:
            run = self._compiled[which]
            try:
                found = run()
            except Exception:  # noqa: BLE001 - the function itself will raise it again, unless tracing was the reason
                found = None
            if found is None or run.trace_count >= MAX_TRACES:
                self._compiled = None
            return found
        return None

    def _checked_residuals(self, target: Any) -> Vector:
        if not isinstance(target, Value) or target.dtype.kind != "f":
            kind = target.dtype if isinstance(target, Value) else type(target).__name__
            raise DtypeError(
                f"residual_fn must return a Tensor of residuals, got {kind}; use tensor operations throughout"
            )
        if target.ndim != 1:
            raise ShapeError(f"residual_fn must return a vector (m,), got shape {target.shape}; use ak.ravel")
        if self.rows not in (-1, target.size):
            raise ShapeError(
                f"residual_fn returned {self.rows} residuals, then {target.size}; a fit needs the same number each time"
            )
        self.rows = target.size
        return np.asarray(unwrap(target), np.float64)

    def jacobian(self, point: ResidualEvaluation) -> Vector:
        """The Jacobian ``(m, n)`` at an evaluated point; unconnected variables have columns of zeros."""
        self.jacobians += 1
        with np.errstate(all="ignore"):
            found = self._run_compiled(1) if point.tape is None else None
            if found is None:
                tape, target = (point.tape, point.target) if point.tape is not None else self._record()
                found = tape.jacobian(target, self.variables)
        if all(j is None for j in found):
            raise StructureError(
                "no residual depends on a variable. Read the variables inside residual_fn, and use tensor "
                "operations throughout (the tape does not follow np.asarray, .numpy() and float())."
            )
        parts = [
            np.zeros((self.rows, v.size)) if j is None else j.numpy().reshape(self.rows, v.size)
            for j, v in zip(found, self.variables, strict=True)
        ]
        return np.concatenate(parts, axis=1, dtype=np.float64)


def _recorded_residuals(residual_fn: Callable[[], Tensor], variables: list[Variable]) -> tuple[GradientTape, Any]:
    tape = GradientTape(watch_accessed_variables=False)
    with tape:
        tape.watch(variables)
        target = residual_fn()
    warn_of_lost_gradients(tape._record, variables, target)
    return tape, target


def _jacobian_function(residual_fn: Callable[[], Tensor], variables: list[Variable]) -> Callable[[], Any]:
    def jacobian() -> Any:
        tape, target = _recorded_residuals(residual_fn, variables)
        return tape.jacobian(target, variables)

    return jacobian


class LinearizedResiduals:
    """The linearization of the residuals around a point, as a singular value decomposition of the scaled Jacobian.

    ``J / scale = left · diag(singular) · directions``; ``along`` are the components of the residuals along ``left``.
    """

    def __init__(self, point: ResidualEvaluation, jacobian: Vector, earlier_scale: Vector) -> None:
        self.jacobian, r = jacobian, point.residuals
        lengths = np.linalg.norm(jacobian, axis=0)
        self.scale = np.maximum(lengths, earlier_scale)
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
        """The damped least-squares step for residuals with the given components along ``left``."""
        step: Vector = -(self.directions.T @ (along * self._damped_inverse(damping))) / self.units
        return step

    def predicted_decrease(self, damping: float) -> float:
        """The decrease of the cost that the model predicts for a step; a sum without cancellation."""
        s = self.singular
        return 0.5 * float(np.sum((self.along * self._damped_inverse(damping)) ** 2 * (s * s + 2.0 * damping)))

    def _damped_inverse(self, damping: float) -> Vector:
        below = self.singular**2 + damping
        factors: Vector = self.singular / np.where(below > 0.0, below, 1.0)
        return factors

    def scaled_length(self, step: Vector) -> float:
        """Length of a step, scaled by the column norms of the Jacobian."""
        return float(np.linalg.norm(self.units * step))


def _fit_variables(variables: Any) -> list[Variable]:
    """The variables of a fit as a list, or an error if one cannot be fitted."""
    several: list[Any] = flatten(variable_list(variables))
    for v in several:
        if not isinstance(v, Variable) or v.dtype.kind != "f":
            kind = v.dtype if isinstance(v, Variable) else type(v).__name__
            raise DtypeError(f"a fit needs variables of a floating dtype, got {kind}; use ak.Variable(1.0)")
        if v.constraint is not None:
            raise StructureError(
                f"{spoken_name(v)} has a constraint, which this method does not support: a projected step is no step "
                "of this method. Write the bound into the model (w = ak.exp(u), ak.sigmoid(u)), or use a gradient "
                "optimizer."
            )
    if not any(v.size for v in several):
        raise StructureError("there is nothing to fit: no variable with at least one element was given")
    if len({id(v) for v in several}) < len(several):
        raise StructureError("a variable was given twice; give each variable once")
    return several
