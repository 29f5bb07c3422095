"""Levenberg-Marquardt: least squares from residuals and their Jacobian."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, Variable
from autodiff_kit.errors import StructureError
from autodiff_kit.optim.least_squares import EPS, Linear, Point, Problem, Vector

__all__ = ["LeastSquaresResult", "LevenbergMarquardt"]

LEAST_DAMPING, MOST_DAMPING = EPS * EPS, 1e32
LEAST_GAIN = 1e-4
"""The part of what was promised that counts as a gain."""
PATIENCE = 6
"""Tries that may fail one after the other where rounding hides what they gain."""
PROBE = 0.1
"""How far along a step its bend is measured, as a part of it."""
MOST_BEND = 0.75
"""Twice the correction for the bend, as a part of the step: beyond it the linear model is no guide."""


@dataclass(frozen=True)
class LeastSquaresResult:
    """What a fit came to.

    Attributes
    ----------
    cost : float
        Half the sum of squared residuals, at the point that the variables now hold.
    iterations : int
        Points at which the residuals were linearised and a step was sought.
    converged : bool
        Whether the fit ended because little or nothing was left to gain.
    message : str
        Why it ended, in plain words.
    history : tuple of float
        The cost at the start and after each iteration.
    jacobian_evaluations : int
    damping : float
        At the end.
    """

    cost: float
    iterations: int
    converged: bool
    message: str
    history: tuple[float, ...]
    jacobian_evaluations: int
    damping: float


class LevenbergMarquardt:
    """Least squares by damped Gauss-Newton steps.

    Parameters
    ----------
    damping : float, optional
        At the start: near 0 a step goes where the linearised residuals are least, a large one shortens it and turns it
        downhill. From then on each step's gain sets it.
    cost_limit : float, optional
        A cost that is small enough to stop.

    Raises
    ------
    StructureError
        If a parameter is negative or not finite.

    Notes
    -----
    With the Jacobian J of the residuals r, and D the lengths of its columns, a step h solves
    ``min ‖J h + r‖² + damping ‖D h‖²``. The gain ratio is what the cost fell, divided by what the linear model
    promised; Nielsen's rule [2]_ makes the damping from it. D makes the fit blind to the units of the variables, and
    remembers for a while where columns were longer [1]_. Steps come from a singular value decomposition, never from
    ``JᵀJ``, which would lose half of the digits; so columns that depend on one another do no harm.

    Residuals bend along a step. How much is measured a tenth of the way, and corrected for; a step along which they
    bend too much is shortened instead [3]_. That is what finds the way through long curved valleys.

    Near the end the cost falls by less than its rounding. There a step counts as a gain if it brings the residuals
    nearer to a right angle with all columns of J.

    **Cost.** Two evaluations of the residuals for each try, a Jacobian for each step that is taken, and ``O(m n²)``
    for m residuals and n numbers in the variables: for hundreds of numbers, not for millions.

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
        self.damping = _finite("damping", damping)
        self.cost_limit = _finite("cost_limit", cost_limit)
        self._trust = _Trust(self.damping)

    def minimize(
        self,
        residual_fn: Callable[[], Tensor],
        variables: Iterable[Variable],
        max_iterations: int = 200,
        tolerance: float = 1e-12,
    ) -> LeastSquaresResult:
        """Fit variables until a limit is reached.

        Parameters
        ----------
        residual_fn : callable
            Without arguments; returns the residuals, ``(m,)``. Half the sum of their squares is the cost.
        variables : iterable of Variable
            What may move.
        max_iterations : int, optional
            Steps that may be taken.
        tolerance : float, optional
            The fit ends when a step moves the variables by less than this part of their size, or when the largest
            ``|Jᵀr|`` is below this part of what it could be (it is the cosine between a column and r), or when the
            cost falls, and was to fall, by less than the square of this, as a part of the cost. Digits that the
            variables' dtype does not have are not asked for.

        Returns
        -------
        LeastSquaresResult

        Raises
        ------
        ShapeError
            If the residuals are not a vector, or change their number.
        DtypeError
            If the residuals are no tensor, or a variable is none.
        StructureError
            If residuals or Jacobian are not finite at the start, no residual depends on a variable, or a variable has
            a constraint.

        Notes
        -----
        The variables end at the best point that was seen, also where ``residual_fn`` raises.
        """
        _finite("max_iterations", max_iterations)
        fit = _Fit(Problem(residual_fn, variables), _Trust(self.damping), self.cost_limit, tolerance)
        return fit.run(int(max_iterations))

    def step(self, residual_fn: Callable[[], Tensor], variables: Iterable[Variable]) -> float:
        """One step on one mini-batch; the damping goes on from call to call.

        Parameters
        ----------
        residual_fn : callable
            As in :meth:`minimize`. It is called several times, and must use the same batch each time.
        variables : iterable of Variable

        Returns
        -------
        float
            The cost on this batch, before the step. A step that would raise it is not taken.
        """
        fit = _Fit(Problem(residual_fn, variables), self._trust, self.cost_limit, 0.0)
        return fit.run(1).history[0]


@dataclass
class _Trust:
    """How much the linear model is trusted: little where the damping is large."""

    damping: float
    growth: float = 2.0

    def gained(self, ratio: float) -> None:
        """Nielsen's rule, which has no jumps."""
        self._set(self.damping * max(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3))

    def settled(self) -> None:
        """Where only rounding is left, the linear model is as right as can be."""
        self._set(0.1 * self.damping)

    def failed(self) -> None:
        self.damping = min(max(self.damping, LEAST_DAMPING) * self.growth, MOST_DAMPING)
        self.growth *= 2.0

    def _set(self, damping: float) -> None:
        self.damping, self.growth = max(damping, LEAST_DAMPING), 2.0


End = tuple[str, bool]
GOING_ON: End = ("", False)


class _Fit:
    """One run: the best point so far, and the linear model around it."""

    def __init__(self, problem: Problem, trust: _Trust, cost_limit: float, tolerance: float) -> None:
        self.problem, self.trust, self.cost_limit = problem, trust, cost_limit
        self.tolerance = _finite("tolerance", tolerance)
        self.best = problem.evaluate()
        jacobian = problem.jacobian(self.best)
        if not np.isfinite(self.best.cost) or not np.isfinite(jacobian).all():
            raise StructureError(
                f"at the start the cost is {self.best.cost:g}, and residuals or their Jacobian are not finite. "
                "Start from values where the model can be computed."
            )
        self.linear = Linear(self.best, jacobian, np.zeros(jacobian.shape[1]))

    def run(self, max_iterations: int) -> LeastSquaresResult:
        history = [self.best.cost]
        end = self._at_rest()
        while not end[0] and len(history) <= max_iterations:
            try:
                end = self._iterate()
            finally:
                self.problem.put(self.best.at)
            history.append(self.best.cost)
        message, converged = end
        return LeastSquaresResult(
            cost=self.best.cost,
            iterations=len(history) - 1,
            converged=converged,
            message=message or f"the limit of {max_iterations} iterations was reached first",
            history=tuple(history),
            jacobian_evaluations=self.problem.jacobians,
            damping=self.trust.damping,
        )

    def _at_rest(self) -> End:
        if self.best.cost <= self.cost_limit:
            return f"the cost {self.best.cost:.3g} is not above the limit {self.cost_limit:.3g}", True
        if not self.linear.jacobian.any():
            return "the Jacobian is 0: near this point the residuals do not depend on the variables", False
        if self.linear.cosine <= self.tolerance and self._is_close():
            return f"the largest |Jᵀr| is {self.linear.cosine:.1e} of what it could be: no way leads down", True
        return GOING_ON

    def _iterate(self) -> End:
        """Try ever more damping until a step gains."""
        failures, noise = 0, self._in_the_noise()
        while True:
            before, promise = self.best, self.linear.promise(self.trust.damping)
            moved = self._propose(noise)
            if moved is None:
                small, taken = False, False
            else:
                small = self._is_small(moved)
                taken = self._take(self.problem.evaluate(), promise, noise)
            if taken:
                return self._after_a_step(before, promise, small)
            self.trust.failed()
            failures += 1
            end = self._after_a_failure(failures, small, noise)
            if end[0]:
                return end

    def _propose(self, noise: bool) -> Vector | None:
        """Move the variables by a step, and say by how much; None where residuals bend too much along it."""
        start, damping = self.best.at, self.trust.damping
        step = self.linear.solve(self.linear.along, damping)
        if not noise:
            bend = self._bend(step)
            if bend is not None:
                correction = self.linear.solve(self.linear.left.T @ bend, damping)
                if 2.0 * self.linear.measure(correction) > MOST_BEND * self.linear.measure(step):
                    return None
                step = step + 0.5 * correction
        self.problem.put(start + step)
        moved = self.problem.here() - start  # as the variables' dtype can hold it
        return moved if np.isfinite(moved).all() else None

    def _bend(self, step: Vector) -> Vector | None:
        """The second derivative of the residuals along a step, from a point a part of the way along it."""
        self.problem.put(self.best.at + PROBE * step)
        there = self.problem.evaluate().residuals
        with np.errstate(all="ignore"):
            bend: Vector = 2.0 / PROBE * ((there - self.best.residuals) / PROBE - self.linear.jacobian @ step)
        return bend if np.isfinite(bend).all() else None

    def _take(self, trial: Point, promise: float, noise: bool) -> bool:
        """Make a trial point the best one, if it is better."""
        if not np.isfinite(trial.cost):
            return False
        a, b = self.best.residuals, trial.residuals
        fall = 0.5 * float((a - b) @ (a + b))  # more digits than a difference of two sums
        if not noise and fall <= LEAST_GAIN * promise:
            return False
        jacobian = self.problem.jacobian(trial)
        if not np.isfinite(jacobian).all():
            return False
        linear = Linear(trial, jacobian, self.linear.scale)
        if noise and linear.slope >= self.linear.slope:
            return False
        self.best, self.linear = trial, linear
        if noise:
            self.trust.settled()
        else:
            self.trust.gained(fall / promise)
        return True

    def _after_a_step(self, before: Point, promise: float, small: bool) -> End:
        if small:
            return f"the last step moved the variables by less than {self._digits():.0e} of their size", True
        fall = abs(before.cost - self.best.cost)
        if promise <= self.tolerance**2 * before.cost and fall <= EPS * before.cost:
            return "the cost neither falls nor should fall by more than the tolerance", True
        return self._at_rest()

    def _after_a_failure(self, failures: int, small: bool, noise: bool) -> End:
        if noise and failures >= PATIENCE:
            return "rounding hides what further steps would gain", True
        if small or self.trust.damping >= MOST_DAMPING:
            undamped = self.linear.solve(self.linear.along, 0.0)
            if noise or self.linear.measure(undamped) <= self.problem.eps**0.5 * self.linear.measure(self.best.at):
                return f"steps became shorter than {self._digits():.0e} of the variables, and gained nothing", True
            return "no step lowers the cost, however short; do Jacobian and residuals agree (check_gradients)?", False
        return GOING_ON

    def _in_the_noise(self) -> bool:
        """Whether what the next step can gain drowns in the rounding of the residuals."""
        r, sizes = self.linear.length, float(np.sum(self.linear.scale * np.abs(self.best.at)))
        return self.linear.promise(self.trust.damping) <= self.problem.eps * r * (100.0 * sizes + 1e4 * r)

    def _is_small(self, moved: Vector) -> bool:
        return self.linear.measure(moved) <= self._digits() * self.linear.measure(self.best.at)

    def _is_close(self) -> bool:
        """Whether a step without damping, which valleys that are nearly flat need, would hardly move the variables."""
        whole = self.linear.solve(self.linear.along, 0.0)
        return self.linear.measure(whole) <= 10.0 * self._digits() * self.linear.measure(self.best.at)

    def _digits(self) -> float:
        digits: float = max(self.tolerance, self.problem.eps)
        return digits


def _finite(name: str, value: Any) -> float:
    if not (isinstance(value, (int, float, np.number)) and 0 <= value < np.inf):
        raise StructureError(f"{name} must be a number of 0 or more, got {value!r}")
    return float(value)
