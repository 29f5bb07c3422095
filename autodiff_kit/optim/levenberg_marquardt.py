"""The Levenberg-Marquardt method for nonlinear least squares, with geodesic acceleration."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import StructureError
from autodiff_kit.optim.least_squares import (
    EPS,
    SCALE_DECAY,
    LeastSquaresProblem,
    LinearizedResiduals,
    ResidualEvaluation,
    Vector,
)
from autodiff_kit.optim.validation import non_negative

__all__ = ["LeastSquaresResult", "LevenbergMarquardt"]

MIN_DAMPING, MAX_DAMPING = EPS * EPS, 1e32
MIN_GAIN_RATIO = 1e-4
"""The smallest ratio of the actual to the predicted decrease with which a step is accepted."""
MAX_FAILURES_IN_NOISE = 6
"""Number of consecutive steps that may fail once rounding hides the decrease of the cost."""
ACCELERATION_PROBE = 0.1
"""Fraction of a step at which the second directional derivative is measured."""
MAX_ACCELERATION = 0.75
"""Largest ratio of acceleration to velocity; beyond it the linear model is not trusted."""


@dataclass(frozen=True)
class LeastSquaresResult:
    """The result of a fit.

    Attributes
    ----------
    cost : float
        Half the sum of squared residuals, at the final values of the variables.
    iterations : int
        Number of linearizations from which a step was sought.
    converged : bool
        Whether the fit ended at a minimum, or with a cost of at most the limit.
    message : str
        The reason why the fit ended, as a sentence.
    history : tuple of float
        The cost at the start and after each iteration.
    jacobian_evaluations : int
    damping : float
        The final damping.
    """

    cost: float
    iterations: int
    converged: bool
    message: str
    history: tuple[float, ...]
    jacobian_evaluations: int
    damping: float


class LevenbergMarquardt:
    """Levenberg-Marquardt: nonlinear least squares by damped Gauss-Newton steps.

    Parameters
    ----------
    damping : float, optional
        Initial damping: with 0 a step minimizes the linearized residuals (Gauss-Newton); a large damping shortens it
        and turns it towards the negative gradient. Afterwards it is adapted after each step.
    cost_limit : float, optional
        The fit stops when the cost is at most this limit.

    Raises
    ------
    StructureError
        If a parameter is negative or not finite.

    Notes
    -----
    With the Jacobian J of the residuals r, and D the lengths of its columns, a step h solves
    ``min ‖J h + r‖² + damping ‖D h‖²``. The gain ratio is the decrease of the cost divided by the decrease that
    the linear model predicts; Nielsen's rule [2]_ adapts the damping to it. D makes the fit independent of the units of
    the variables, and decays slowly where columns were longer before [1]_. Steps are computed from a singular value
    decomposition and not from the normal equations with ``JᵀJ``, which would lose half of the digits; so linearly
    dependent columns do no harm.

    Geodesic acceleration [3]_: the second derivative of the residuals along a step is measured a tenth of the way, and
    the step is corrected for it. If the correction is too large, the step is rejected and the damping increased. This
    helps in long curved valleys of the cost.

    Near the minimum the cost falls by less than its rounding error. There a step is accepted if it makes the residuals
    more nearly orthogonal to the columns of J, and the cost rises by no more than that error. Steps that are short
    because of a large damping are no sign of a minimum: at a saddle point, such as b₁ = b₂ = 0 of the model b₁ b₂ x, a
    fit may end without having converged.

    **Cost.** Two evaluations of the residuals for each trial step, a Jacobian for each accepted one, and ``O(m n²)``
    for m residuals and n parameters: for hundreds of parameters, not for millions. After some iterations residuals and
    Jacobian are compiled, as by :func:`compile`, if ``residual_fn`` does nothing but compute: a function that prints,
    draws random numbers, assigns to something outside or decides by a value runs as ordinary code each time.

    References
    ----------
    .. [1] Moré, *The Levenberg-Marquardt algorithm: implementation and theory*, in: Numerical Analysis, LNM 630,
       Springer, 1978.
    .. [2] Madsen, Nielsen and Tingleff, *Methods for Non-linear Least Squares Problems*, 2nd ed., DTU, 2004.
    .. [3] Transtrum and Sethna, *Improvements to the Levenberg-Marquardt algorithm for nonlinear least-squares
       minimization*, 2012, https://arxiv.org/abs/1201.5885.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([2.0, 1.0, 0.5, 0.25])
    >>> b = ak.Variable([1.0, 0.1])
    >>> fit = ak.optim.LevenbergMarquardt().minimize(lambda: b[0] * ak.exp(-b[1] * x) - y, [b])
    >>> b.numpy().round(6), fit.converged
    (array([2.      , 0.693147]), True)
    """

    def __init__(self, damping: float = 1e-3, cost_limit: float = 0.0) -> None:
        self.damping = damping
        self.cost_limit = non_negative("cost_limit", cost_limit)

    @property
    def damping(self) -> float:
        """The initial damping; a new one is that of the next step."""
        return self._damping

    @damping.setter
    def damping(self, damping: float) -> None:
        self._damping = non_negative("damping", damping)
        self._schedule = _DampingSchedule(self._damping)

    def minimize(
        self,
        residual_fn: Callable[[], Tensor],
        variables: Iterable[Variable],
        max_iterations: int = 200,
        tolerance: float = 1e-12,
    ) -> LeastSquaresResult:
        """Fit variables until one of the stopping criteria holds.

        Parameters
        ----------
        residual_fn : callable
            Without arguments; returns the residuals, ``(m,)``. Half the sum of their squares is the cost.
        variables : iterable of Variable
            The variables to fit.
        max_iterations : int, optional
            Limit on the number of iterations.
        tolerance : float, optional
            The fit ends when the relative step is below this tolerance, or the largest cosine between r and a column of
            J (``|Jᵀr|`` divided by the norms), or when the actual and the predicted relative decrease of the cost are
            below its square. A tolerance below the precision of the variables' dtype has no effect.

        Returns
        -------
        LeastSquaresResult

        Raises
        ------
        ShapeError
            If the residuals are not a vector, or their number changes.
        DtypeError
            If the residuals are not a tensor, or ``variables`` contains other objects than variables.
        StructureError
            If residuals or Jacobian are not finite at the start, no residual depends on a variable, or a variable has
            a constraint.

        Notes
        -----
        The variables end at the best point that was found, also if ``residual_fn`` raises.
        """
        non_negative("max_iterations", max_iterations)
        fit = _LevenbergMarquardtRun(
            LeastSquaresProblem(residual_fn, variables), _DampingSchedule(self.damping), self.cost_limit, tolerance
        )
        return fit.run(int(max_iterations))

    def step(self, residual_fn: Callable[[], Tensor], variables: Iterable[Variable]) -> float:
        """One step on one mini-batch; the damping carries over from call to call.

        Parameters
        ----------
        residual_fn : callable
            As in :meth:`minimize`. It is called several times, and must use the same batch each time.
        variables : iterable of Variable

        Returns
        -------
        float
            The cost on this batch, before the step. A step that would raise it is not accepted.
        """
        fit = _LevenbergMarquardtRun(LeastSquaresProblem(residual_fn, variables), self._schedule, self.cost_limit, 0.0)
        return fit.run(1).history[0]


@dataclass
class _DampingSchedule:
    """The damping, adapted to the success of steps by Nielsen's rule."""

    damping: float
    growth: float = 2.0

    def step_accepted(self, ratio: float) -> None:
        """Decrease the damping after a step with this gain ratio."""
        self.restart(self.damping * max(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3))

    def step_accepted_in_noise(self) -> None:
        """Decrease the damping after a step whose gain ratio is lost in rounding."""
        self.restart(0.1 * self.damping)

    def step_rejected(self) -> None:
        """Increase the damping, faster after each rejection in a row."""
        self.damping = min(max(self.damping, MIN_DAMPING) * self.growth, MAX_DAMPING)
        self.growth *= 2.0

    def restart(self, damping: float) -> None:
        """Continue with this damping, as after an accepted step."""
        self.damping, self.growth = max(damping, MIN_DAMPING), 2.0


StopReason = tuple[str, bool]
"""A message and whether the fit has converged; an empty message means that the fit goes on."""

_CONTINUE: StopReason = ("", False)


class _LevenbergMarquardtRun:
    """One run of the method: the best point so far, and the linear model around it."""

    def __init__(
        self, problem: LeastSquaresProblem, schedule: _DampingSchedule, cost_limit: float, tolerance: float
    ) -> None:
        self.problem, self.schedule = problem, schedule
        self.cost_limit = non_negative("cost_limit", cost_limit)
        self.tolerance = non_negative("tolerance", tolerance)
        self.best = problem.evaluate()
        jacobian = problem.jacobian(self.best)
        if not np.isfinite(self.best.cost) or not np.isfinite(jacobian).all():
            raise StructureError(
                f"at the start the cost is {self.best.cost:g}, and the residuals or their Jacobian are not finite. "
                "Start from values at which the model can be computed."
            )
        self.linear = LinearizedResiduals(self.best, jacobian, np.zeros(jacobian.shape[1]))
        self.first_length, self.first_damping = self.linear.length, schedule.damping
        self.decay, self.longest = SCALE_DECAY, self.linear.scale

    def run(self, max_iterations: int) -> LeastSquaresResult:
        history = [self.best.cost]
        reason = self._stop_at_current_point()
        while not reason[0] and len(history) <= max_iterations:
            try:
                reason = self._iterate()
            finally:
                self.problem.assign(self.best.at)
            history.append(self.best.cost)
        message, converged = reason
        return LeastSquaresResult(
            cost=self.best.cost,
            iterations=len(history) - 1,
            converged=converged,
            message=message or f"the limit of {max_iterations} iterations was reached",
            history=tuple(history),
            jacobian_evaluations=self.problem.jacobians,
            damping=self.schedule.damping,
        )

    def _stop_at_current_point(self) -> StopReason:
        if self.best.cost <= self.cost_limit:
            return f"the cost {self.best.cost:.3g} is not above the limit {self.cost_limit:.3g}", True
        if not self.linear.jacobian.any():
            return "the Jacobian is 0: near this point the residuals do not depend on the variables", False
        if self.linear.cosine <= self.tolerance and self._undamped_step_is_small():
            return f"the largest |Jᵀr| is {self.linear.cosine:.1e} of its upper bound: this is a minimum", True
        return _CONTINUE

    def _iterate(self) -> StopReason:
        """Increase the damping until a step is accepted."""
        failures, in_noise = 0, self._is_in_noise()
        while True:
            before, predicted = self.best, self.linear.predicted_decrease(self.schedule.damping)
            moved = self._trial_step(in_noise)
            if moved is None:
                small, accepted = False, False
            else:
                small = self._is_small(moved)
                accepted = self._accept_if_better(self.problem.evaluate(), predicted, in_noise)
            if accepted:
                return self._stop_after_step(before, predicted, small)
            self.schedule.step_rejected()
            failures += 1
            reason = self._stop_after_failure(failures, small, in_noise)
            if reason[0] and not reason[1] and self._keep_longest_scales():
                failures, in_noise = 0, self._is_in_noise()
            elif reason[0]:
                return reason

    def _keep_longest_scales(self) -> bool:
        """Where a fit is stuck, go on with the longest columns as scales, without decay; False if these are in use.

        A column may shrink to 0, as that of b₁ in the model b₁² x on the way to b₁ = 0, and its scale shrinks with it.
        Then only an ever larger damping makes the steps of b₁ short, and it stops those of all other variables.
        """
        if not (self.longest > self.linear.scale).any():
            return False
        self.decay = 1.0
        self.linear = LinearizedResiduals(self.best, self.linear.jacobian, self.longest)
        self.schedule.restart(self.first_damping)
        return True

    def _trial_step(self, in_noise: bool) -> Vector | None:
        """Move the variables by a trial step and return it; None if the acceleration along it is too large."""
        start, damping = self.best.at, self.schedule.damping
        step = self.linear.solve(self.linear.along, damping)
        if not in_noise:
            acceleration = self._acceleration(step)
            if acceleration is not None:
                correction = self.linear.solve(self.linear.left.T @ acceleration, damping)
                if 2.0 * self.linear.scaled_length(correction) > MAX_ACCELERATION * self.linear.scaled_length(step):
                    return None
                step = step + 0.5 * correction
        self.problem.assign(start + step)
        moved = self.problem.parameters() - start  # as rounded to the dtype of the variables
        return moved if np.isfinite(moved).all() else None

    def _acceleration(self, step: Vector) -> Vector | None:
        """The second derivative of the residuals along a step, by a finite difference; None if not finite."""
        self.problem.assign(self.best.at + ACCELERATION_PROBE * step)
        there = self.problem.evaluate().residuals
        with np.errstate(all="ignore"):
            acceleration: Vector = (
                2.0
                / ACCELERATION_PROBE
                * ((there - self.best.residuals) / ACCELERATION_PROBE - self.linear.jacobian @ step)
            )
        return acceleration if np.isfinite(acceleration).all() else None

    def _accept_if_better(self, trial: ResidualEvaluation, predicted: float, in_noise: bool) -> bool:
        """Accept a trial point if it is better than the best one; returns whether it is."""
        if not np.isfinite(trial.cost):
            return False
        a, b = self.best.residuals, trial.residuals
        fall = 0.5 * float((a - b) @ (a + b))  # keeps more digits than the difference of the two costs
        if fall <= (-self._noise() if in_noise else MIN_GAIN_RATIO * predicted):
            return False
        jacobian = self.problem.jacobian(trial)
        if not np.isfinite(jacobian).all():
            return False
        linear = LinearizedResiduals(trial, jacobian, self.decay * self.linear.scale)
        if in_noise and linear.slope >= self.linear.slope:
            return False
        self.best, self.linear = trial, linear
        self.longest = np.maximum(self.longest, linear.scale)
        if in_noise:
            self.schedule.step_accepted_in_noise()
        else:
            self.schedule.step_accepted(fall / predicted)
        return True

    def _stop_after_step(self, before: ResidualEvaluation, predicted: float, small: bool) -> StopReason:
        if small and self._undamped_step_is_small():
            tolerance = f"{self._relative_tolerance():.0e}"
            return f"the last step moved the variables by less than {tolerance} of their size", True
        fall = abs(before.cost - self.best.cost)
        if predicted <= self.tolerance**2 * before.cost and fall <= EPS * before.cost:
            return "the actual and the predicted decrease of the cost are below the tolerance", True
        return self._stop_at_current_point()

    def _stop_after_failure(self, failures: int, small: bool, in_noise: bool) -> StopReason:
        # With a large damping every step is lost in noise; at a minimum so is the best step of each single variable.
        in_noise = in_noise and 0.5 * (self.linear.cosine * self.linear.length) ** 2 <= self._noise()
        if in_noise and failures >= MAX_FAILURES_IN_NOISE:
            return "the decrease of the cost by further steps is below its rounding error", True
        if small or self.schedule.damping >= MAX_DAMPING:
            undamped = self.linear.solve(self.linear.along, 0.0)
            limit = self.problem.eps**0.5 * self.linear.scaled_length(self.best.at)
            if in_noise or self.linear.scaled_length(undamped) <= limit:
                tolerance = f"{self._relative_tolerance():.0e}"
                return f"steps became shorter than {tolerance} of the variables without a decrease of the cost", True
            if self.linear.length <= min(1e3 * self.problem.eps, self.problem.eps**0.5) * self.first_length:
                # The size of variables that end near 0 does not tell what is rounded in the residuals, and the
                # acceleration has this rounding error two hundredfold.
                return "what is left of the residuals is the rounding error of those at the start", True
            words = "start elsewhere, or check the Jacobian of the residuals with check_gradients"
            return f"no step decreases the cost, and this is not a minimum; {words}", False
        return _CONTINUE

    def _is_in_noise(self) -> bool:
        """Whether the predicted decrease of the next step is below the rounding error of the cost."""
        return self.linear.predicted_decrease(self.schedule.damping) <= self._noise()

    def _noise(self) -> float:
        """The rounding error of the cost, generously: of residuals and of the terms they are the differences of."""
        r, sizes = self.linear.length, float(np.sum(self.linear.scale * np.abs(self.best.at)))
        return 100.0 * self.problem.eps * r * (sizes + r)

    def _is_small(self, moved: Vector) -> bool:
        return self.linear.scaled_length(moved) <= self._relative_tolerance() * self.linear.scaled_length(self.best.at)

    def _undamped_step_is_small(self) -> bool:
        """Whether the undamped step, which is long in nearly flat valleys, would be small."""
        whole = self.linear.solve(self.linear.along, 0.0)
        limit = 10.0 * self._relative_tolerance() * self.linear.scaled_length(self.best.at)
        return self.linear.scaled_length(whole) <= limit

    def _relative_tolerance(self) -> float:
        digits: float = max(self.tolerance, self.problem.eps)
        return digits
