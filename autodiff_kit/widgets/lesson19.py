"""Lesson 19 widget: Levenberg-Marquardt steps on a two-parameter least-squares fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.data import problem
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["LevenbergMarquardtSteps"]

MOST = 30  # tries
LIMIT = 1e-20
TINY = 1e-9  # a step that is shorter, as a part of where it leads, ends the fit
FIRST, LEAST, LARGEST = 1e-3, 1e-12, 1e12
ACROSS, DOWN = 72, 90  # places where the valley's depth is worked out
ALONG = np.geomspace(1e-7, 1e7, 57)  # dampings along which a step's end is drawn
Vector = np.ndarray[Any, np.dtype[np.float64]]
Interval = tuple[float, float]


@dataclass(frozen=True)
class FittedCurve:
    """Data, a model with two parameters, and the part of their plane that is drawn."""

    words: str
    x: Vector
    y: Vector
    model: Callable[[Any, Any], Any]
    names: tuple[str, str]
    view: tuple[Interval, Interval]
    start: tuple[float, float]
    snap: tuple[float, float]
    levels: tuple[float, ...]

    def residuals(self, p: Any) -> Any:
        """Model minus data."""
        return self.model(p, self.x) - self.y

    def cost(self, p: Vector) -> float:
        """The sum of squared residuals; infinite where they overflow."""
        r = np.asarray(self.residuals(ak.constant(p)))
        total = float(r @ r)
        return total if math.isfinite(total) else math.inf


@cache
def curve_named(name: str) -> FittedCurve:
    """The curve of that name; NIST's file is read when it is asked for."""
    if name == "decay":
        t = np.linspace(0.0, 2.0, 20)
        return FittedCurve(
            "p₀·exp(p₁·t), 20 points of 2·exp(−t)",
            t,
            2.0 * np.exp(-t),
            lambda p, x: p[0] * ak.exp(p[1] * x),
            ("p₀", "p₁"),
            ((-1.5, 3.5), (-4.0, 2.0)),
            (1.0, 0.0),
            (0.05, 0.05),
            (0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 1e3, 1e4),
        )
    found = problem("Misra1a")
    return FittedCurve(
        "b₁·(1 − exp(−b₂·x)), 14 points of NIST's Misra1a",
        found.x,
        found.y,
        lambda p, x: p[0] * (1.0 - ak.exp(-p[1] * x)),
        ("b₁", "b₂"),
        ((100.0, 800.0), (0.0, 0.001)),
        (500.0, 0.0001),
        (5.0, 0.00001),
        (300.0, 1e3, 3e3, 1e4),
    )


@cache
def log_costs_on_grid(name: str) -> list[list[float]]:
    """Logarithms of the cost on a grid over the view, row by row from below."""
    it = curve_named(name)
    (left, right), (low, high) = it.view
    first, second = np.linspace(left, right, ACROSS), np.linspace(low, high, DOWN)
    p = np.meshgrid(first, second)
    cost = np.sum(np.asarray(it.residuals([one[..., None] for one in p])) ** 2, axis=-1)
    return [[float(one) for one in row] for row in np.log10(np.maximum(cost, 1e-6))]


@dataclass(frozen=True)
class LinearizedResiduals:
    """Residuals and Jacobian at the current parameters, from two JVPs."""

    at: Vector
    residuals: Vector
    jacobian: Vector
    lengths: Vector
    """What each parameter's step is multiplied by before its length counts."""

    @property
    def cost(self) -> float:
        return float(self.residuals @ self.residuals)

    def steps(self, dampings: Vector) -> Vector:
        """A step for each damping; one decomposition is enough for all of them."""
        left, size, right = np.linalg.svd(self.jacobian / self.lengths, full_matrices=False)
        shrunk = size / (size**2 + dampings[:, None])
        return np.asarray(-(shrunk * (left.T @ self.residuals)) @ right / self.lengths)

    def promise(self, step: Vector) -> float:
        """The cost after the step, if the residuals were straight."""
        there = self.residuals + self.jacobian @ step
        return float(there @ there)


def linearize(it: FittedCurve, at: Vector, metric: str) -> LinearizedResiduals:
    """Residuals and Jacobian at some parameters, from the two unit tangents."""
    here = ak.constant(at)
    pushed = [ak.jvp(it.residuals, (here,), (e,)) for e in np.eye(2)]
    jacobian = np.stack([np.asarray(column) for _, column in pushed], axis=1)
    lengths = np.linalg.norm(jacobian, axis=0) if metric == "columns" else np.ones(2)
    return LinearizedResiduals(at, np.asarray(pushed[0][0]), jacobian, np.where(lengths > 0, lengths, 1.0))


@dataclass
class LevenbergMarquardtRun:
    """A whole fit: every tried step, and the linearization that it came from."""

    it: FittedCurve
    metric: str
    by_hand: list[Any]
    tries: list[dict[str, Any]] = field(default_factory=list)
    models: list[LinearizedResiduals] = field(default_factory=list)
    jacobians: int = 1
    end: str = "open"

    def run(self, start: Vector) -> LevenbergMarquardtRun:
        """Try and judge until the end, or until there have been enough tries."""
        here, damping = linearize(self.it, start, self.metric), FIRST
        while len(self.tries) < MOST:
            damping = self._damping(damping)
            step = here.steps(np.array([damping]))[0]
            there = here.at + step
            found = self.it.cost(there)
            kept = found < here.cost
            self._note(here, damping, step, found, kept)
            if kept:
                here = linearize(self.it, there, self.metric)
                self.jacobians += 1
            if self._over(here, step):
                break
            damping = damping / 10 if kept else damping * 10
        self.models.append(here)
        return self

    def _damping(self, by_rule: float) -> float:
        k = len(self.tries)
        chosen = self.by_hand[k] if k < len(self.by_hand) else None
        return min(max(by_rule if chosen is None else float(chosen), LEAST), LARGEST)

    def _note(self, here: LinearizedResiduals, damping: float, step: Vector, found: float, kept: bool) -> None:
        self.models.append(here)
        self.tries.append({
            "at": here.at, "damping": damping, "to": here.at + step, "cost": here.cost,
            "promised": here.promise(step), "found": found, "kept": kept, "jacobians": self.jacobians,
        })  # fmt: skip

    def _over(self, here: LinearizedResiduals, step: Vector) -> bool:
        if here.cost < LIMIT:
            self.end, self.jacobians = "limit", self.jacobians - 1  # nobody asks for a Jacobian after the last step
        elif np.all(np.abs(step) <= TINY * np.abs(here.at)):
            self.end, self.jacobians = "tiny", self.jacobians - self.tries[-1]["kept"]
        return self.end != "open"


class LevenbergMarquardtSteps(KernelWidget):
    """Walk through the valley of a fit, step by step, with the damping in your hand.

    Parameters
    ----------
    curve : {"decay", "misra"}, optional
        The lesson's curve, or one of NIST's.
    start : list of two floats, optional
        Where the fit begins, within what is drawn; the curve's own start if left out.
    metric : {"columns", "one"}, optional
        Whether each parameter is damped by the squared length of its column of J, or by 1.
    dampings : list of float or None, optional
        A damping of your own for the tries from the first on; None leaves it to the rule, which begins at .001,
        divides by 10 after a step that is kept, and multiplies by 10 after one that is not.
    step : int, optional
        How many tries have been made where the picture stands.

    Notes
    -----
    The Jacobian is two pushes through the residuals wherever the fit stands; the cost is the sum of squared residuals.
    The fit ends at a cost below 1e-20, at a step below a billionth of where it leads, or after 30 tries.
    """

    _front_end = "lesson19.js"

    curve = Input(traitlets.Enum(("decay", "misra"), default_value="decay"))
    start: Any = Input(traitlets.List(traitlets.Float()))
    metric = Input(traitlets.Enum(("columns", "one"), default_value="columns"))
    dampings: Any = Input(traitlets.List(traitlets.Float(allow_none=True)))
    step = Input(traitlets.Int(0, min=0, max=MOST))

    about = Output()
    valley = Output()
    tries = Output()
    now = Output()
    end = Output()

    @traitlets.validate("start")
    def _in_the_plane(self, proposal: Any) -> Any:
        start = proposal["value"]
        if start and (len(start) != 2 or not all(math.isfinite(one) and abs(one) <= 1e4 for one in start)):
            raise traitlets.TraitError(f"start holds two numbers, none beyond 10000; got {start}")
        return start

    @traitlets.validate("dampings")
    def _above_zero(self, proposal: Any) -> Any:
        given = [one for one in proposal["value"] if one is not None]
        if len(proposal["value"]) > MOST or not all(LEAST <= one <= LARGEST for one in given):
            raise traitlets.TraitError(f"dampings holds at most {MOST} numbers from {LEAST:g} to {LARGEST:g}, or None")
        return proposal["value"]

    def compute_outputs(self) -> dict[str, Any]:
        """The whole run, and what the next step looks like from where the picture stands."""
        it = curve_named(self.curve)
        start = np.clip(self.start or it.start, *np.transpose(it.view))
        asked = (self.curve, tuple(start), self.metric, tuple(self.dampings))
        with np.errstate(all="ignore"):
            if asked != getattr(self, "_asked_last", None):
                self._fit = LevenbergMarquardtRun(it, self.metric, self.dampings).run(start)
                self._asked_last = asked
            return {
                "about": {
                    "words": it.words,
                    "names": it.names,
                    "view": it.view,
                    "snap": it.snap,
                    "start": start,
                    "x": it.x,
                    "y": it.y,
                },
                "valley": {"depths": log_costs_on_grid(self.curve), "levels": it.levels},
                "tries": self._fit.tries,
                "now": self._look(self._fit, min(self.step, len(self._fit.tries))),
                "end": {
                    "why": self._fit.end,
                    "cost": self._fit.models[-1].cost,
                    "at": self._fit.models[-1].at,
                    "jacobians": self._fit.jacobians,
                    "rows": it.x.size,
                },
            }

    def _look(self, fit: LevenbergMarquardtRun, k: int) -> dict[str, Any]:
        """Where the k-th try stands: its curve, and where it would go at every damping."""
        here = fit.models[k]
        fine = np.linspace(min(0.0, fit.it.x[0]), fit.it.x[-1], 61)
        found: dict[str, Any] = {
            "at": here.at,
            "cost": here.cost,
            "fine": fine,
            "curve": model_values(fit.it, here.at, fine),
        }
        if k < len(fit.tries):
            to = fit.tries[k]["to"]
            reach = float(np.linalg.norm(here.lengths * (to - here.at)))
            found |= {
                "path": here.at + here.steps(ALONG),
                "region": reach / here.lengths,
                "tried": model_values(fit.it, to, fine),
            }
        return found

    def as_table(self) -> Table:
        """Every try: from where, how much damping, what was promised and found."""
        names = ("damping", "cost", "promised", "found")
        rows = [
            (f"{k}", *one["at"], *(one[name] for name in names), "kept" if one["kept"] else "refused")
            for k, one in enumerate(self.tries, 1)
        ]
        first, second = self.about["names"]
        columns = ("try", first, second, "damping", "cost", "promised", "found", "outcome")
        n, m = self.end["jacobians"], self.end["rows"]
        words = f"{self.about['words']}: {n} Jacobians, {2 * n} pushes where pulls are {m * n}"
        return Table(words, columns, rows, digits=6)

    def static_figure(self) -> Any:
        """The valley and the way through it, as a still figure."""
        from matplotlib.figure import Figure

        it = curve_named(self.curve)
        (left, right), (low, high) = it.view
        figure = Figure(figsize=(5.2, 3.6))
        axes = figure.subplots()
        axes.contour(
            np.linspace(left, right, ACROSS),
            np.linspace(low, high, DOWN),
            np.array(log_costs_on_grid(self.curve)),
            levels=np.log10(it.levels),
            colors="0.7",
            linewidths=0.8,
        )
        kept = [np.array(one["at"]) for one in self.tries] + [np.array(self.end["at"])]
        axes.plot(*np.array(kept).T, "o-", color="black", ms=4)
        refused = np.array([one["to"] for one in self.tries if not one["kept"]]).reshape(-1, 2)
        axes.plot(*refused.T, "o", color="black", mfc="none", ms=5)
        axes.set(xlim=it.view[0], ylim=it.view[1], xlabel=it.names[0], ylabel=it.names[1])
        return figure


def model_values(it: FittedCurve, p: Vector, x: Vector) -> Vector:
    """The model along x, as NumPy has it; what overflows is nan and is not drawn."""
    found = np.asarray(it.model(ak.constant(p), x))
    return np.where(np.abs(found) < 1e9, found, np.nan)
