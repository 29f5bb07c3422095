"""Lesson 21 widget: a model that learns the inverse of a black box by Gauss-Newton steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["LearnedInverse"]

Array = np.ndarray[Any, Any]
KINDS = ("line", "polynomial", "network")
PAIRS = 41
STEPS = 20  # tries of a training
WIDEST = 12.0  # how far from 0 a y may be
HALVINGS = 40
HIDDEN = 6
GRID = np.linspace(-WIDEST, WIDEST, 193)


class BlackBox:
    """x³ + x computed outside of any tape, with a count of the evaluations."""

    def __init__(self) -> None:
        self.evaluations = 0

    def __call__(self, x: Any) -> Array:
        given = np.asarray(x, float)
        self.evaluations += given.size
        return np.asarray(given**3 + given)


def solve_by_bisection(box: BlackBox, y: float) -> float:
    """The x with box(x) = y, from a bracket that is halved."""
    lo, hi = -3.0, 3.0
    for _ in range(HALVINGS):
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if box(middle) < y else (lo, middle)
    return (lo + hi) / 2


# The x of the exact inverse, drawn over F(x).
INVERSE_X = np.linspace(-1.0, 1.0, 101) * solve_by_bisection(BlackBox(), WIDEST)
# As lists: what has not changed is not sent again.
CURVES = {"grid": GRID.tolist(), "way": INVERSE_X.tolist(), "inverse": BlackBox()(INVERSE_X).tolist()}


class LearnedInverseModel:
    """A model of x as a function of y, trained on pairs by damped Gauss-Newton steps.

    Parameters
    ----------
    kind : {"line", "polynomial", "network"}
        Degree 1, degree 7, or six hidden units.
    y, x : ndarray
        The pairs.

    Notes
    -----
    Each example has a copy of the parameters, so that one pull of the residuals gives every row of their Jacobian.
    """

    def __init__(self, kind: str, y: Array, x: Array) -> None:
        self.scale = float(np.abs(y).max())
        self.model, starts = make_model(kind)
        self.parts = np.cumsum([start.size for start in starts])[:-1]
        self.parameters = np.concatenate(starts)
        self.y, self.x = y, x
        self.damping, self.tried = 1e-2, 0
        self.residuals, self.rows = self._linearised(self.parameters)

    def __call__(self, y: Array) -> Array:
        """What the model gives for many y."""
        parts = np.split(self.parameters[None], self.parts, axis=1)
        return np.asarray(self.model(parts, y / self.scale))

    def _linearised(self, parameters: Array) -> tuple[Array, Array]:
        """Residuals at some parameters, and their Jacobian."""
        copies = np.broadcast_to(parameters, (self.y.size, parameters.size))
        parts = [ak.constant(part) for part in np.split(copies, self.parts, axis=1)]
        with ak.GradientTape() as tape:
            tape.watch(parts)
            residuals = self.model(parts, self.y / self.scale) - self.x
        rows = tape.gradient(residuals, parts)
        return np.asarray(residuals), np.concatenate([np.asarray(part) for part in rows], axis=1)

    def train_to(self, step: int) -> None:
        """Try steps until there were ``step``; one that makes the fit worse is taken back, and the next is shorter."""
        while self.tried < step:
            self.tried += 1
            J, r = self.rows, self.residuals
            H = J.T @ J
            H[np.diag_indices_from(H)] *= 1 + self.damping
            moved = self.parameters - np.linalg.solve(H + 1e-12 * np.eye(len(H)), J.T @ r)
            residuals, rows = self._linearised(moved)
            better = residuals @ residuals <= r @ r
            self.damping *= 0.1 if better else 10.0
            if better:
                self.parameters, self.residuals, self.rows = moved, residuals, rows


def make_model(kind: str) -> tuple[Callable[[Any, Any], Any], list[Array]]:
    """A function of parameters, a row for each y, and of y from -1 to 1; and where the parameters start."""
    if kind != "network":
        degree = 1 if kind == "line" else 7
        return (lambda p, y: (chebyshev(y, degree) * p[0]).sum(axis=1)), [np.zeros(degree + 1)]
    slopes, offsets, weights = (np.linspace(*ends, HIDDEN) for ends in ((1.0, 2.0), (-1.0, 1.0), (0.5, -0.5)))
    return network, [slopes, offsets, weights, np.zeros(1)]


def network(p: Any, y: Any) -> Any:
    """One hidden layer, and one number for each y."""
    slopes, offsets, weights, bias = p
    return (ak.tanh(y[:, None] * slopes + offsets) * weights + bias / HIDDEN).sum(axis=1)


def chebyshev(y: Array, degree: int) -> Array:
    """Polynomials that do not look alike from -1 to 1, a column each: a fit in them loses no digits."""
    return np.polynomial.chebyshev.chebvander(y, degree)


def _readable(x: float) -> str:
    """Four decimals, but whole numbers or powers of ten where the model is far off: its decimals mean nothing there."""
    return f"{x:.2e}" if abs(x) >= 1e6 else number(x, 4 if abs(x) < 100 else 0)


class LearnedInverse(KernelWidget):
    """Choose where a black box is asked, and watch a model learn its inverse from the answers.

    Parameters
    ----------
    lo, hi : float, optional
        The box is asked at 41 x between them; ``lo`` from -2 to -0.25, ``hi`` from 0.25 to 2.
    kind : {"line", "polynomial", "network"}, optional
        What learns.
    y : float, optional
        A question to the model, -12 to 12.
    step : int, optional
        How far it was trained, 0 to 20.

    Notes
    -----
    The box is x³ + x and off the record. Every training step has a tape of its own.
    """

    _front_end = "lesson21.js"

    lo = Input(traitlets.Float(-1.0, min=-2.0, max=-0.25))
    hi = Input(traitlets.Float(1.0, min=0.25, max=2.0))
    kind = Input(traitlets.Enum(KINDS, default_value="polynomial"))
    y = Input(traitlets.Float(10.0, min=-WIDEST, max=WIDEST))
    step = Input(traitlets.Int(STEPS, min=0, max=STEPS))

    grid = Output()
    inverse = Output()
    way = Output()
    xs = Output()
    ys = Output()
    learned = Output()
    worst = Output()
    said = Output()
    back = Output()
    right = Output()
    paid = Output()

    def __init__(self, **kwargs: Any) -> None:
        self._fit: tuple[Any, LearnedInverseModel] | None = None
        super().__init__(**kwargs)

    def compute_outputs(self) -> dict[str, Any]:
        """Train as far as is asked, then put the question to the model, to the box, and to a solver."""
        box = BlackBox()
        x = np.linspace(self.lo, self.hi, PAIRS)
        y = box(x)
        for_pairs = box.evaluations
        fit = self._trained(y, x)
        right = solve_by_bisection(box, self.y)
        for_solver = box.evaluations - for_pairs
        said = float(fit(np.array([self.y]))[0])
        return {
            **CURVES,
            "xs": x,
            "ys": y,
            "learned": fit(GRID),
            "worst": float(np.abs(fit.residuals).max()),
            "said": said,
            "back": float(box(said)),
            "right": right,
            "paid": {"pairs": for_pairs, "solver": for_solver},
        }

    def _trained(self, y: Array, x: Array) -> LearnedInverseModel:
        """The model after as many steps as are asked for; an earlier training goes on where it can."""
        key = (self.kind, self.lo, self.hi)
        if self._fit is None or self._fit[0] != key or self._fit[1].tried > self.step:
            self._fit = (key, LearnedInverseModel(self.kind, y, x))
        self._fit[1].train_to(self.step)
        return self._fit[1]

    @property
    def seen(self) -> bool:
        """Whether the question lies among the y that the model was trained on."""
        return bool(self.ys[0] <= self.y <= self.ys[-1])

    def as_table(self) -> Table:
        """The question and what was said to it."""
        where = "inside" if self.seen else "outside"
        rows = [
            ("asked at x from", self.lo),
            ("asked at x to", self.hi),
            ("worst error on the pairs", self.worst),
            ("the question, y", self.y),
            ("the model's x", _readable(self.said)),
            ("the box, given that x", _readable(self.back)),
            ("the right x", self.right),
        ]
        caption = f"{self.kind} after {self.step} steps; y = {number(self.y, 2)} is {where} of what it saw"
        return Table(caption, ("what", "value"), rows)

    def static_figure(self) -> Any:
        """The inverse, the pairs and the model as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 3.2))
        axes = figure.subplots()
        axes.plot(self.inverse, self.way, color="0.6", linewidth=1)
        axes.plot(self.ys, self.xs, "o", markersize=3, color="black", fillstyle="none")
        axes.plot(GRID, self.learned, color="black")
        axes.set(xlim=(-WIDEST, WIDEST), ylim=(-2.5, 2.5), xlabel="y", ylabel="x")
        return figure
