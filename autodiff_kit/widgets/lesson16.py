"""Lesson 16 widget: constrained descent by projection, by a penalty and by reparametrisation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["ConstrainedDescent"]

STEPS = 32
STEEP = 3.0  # how much steeper the loss is upwards than sideways
START = (-0.75, -0.5)
LEAST, MOST = (-1.5, -1.25), (3.0, 1.75)  # the corners of the picture
WAYS = ("project", "penalise", "reparametrise")
Array = np.ndarray[Any, Any]


# The balls are the rows of one variable: projected, penalised, and free numbers that lead to the third.
FREE = np.array([[0.0], [0.0], [1.0]])
PENALISED = np.array([[0.0], [1.0], [0.0]])
SOFT = FREE * np.array([1.0, 0.0])  # where softplus keeps a number below 1
EDGE = np.array([1.0, 1e9])


@dataclass(frozen=True)
class FeasibleSet:
    """A set of allowed points.

    ``nearest`` allowed points to rows of places, free numbers for a point, and, for the balls, their places and how
    far outside they are.
    """

    nearest: Callable[[Array], Array]
    free: Callable[[Array], Array]
    look: Callable[[Any], tuple[Any, Any]]


def half_plane_positions(balls: Any) -> tuple[Any, Any]:
    return balls * (1.0 - SOFT) + SOFT * (1.0 - ak.nn.softplus(balls)), ak.nn.relu(balls - EDGE)


def disc_positions(balls: Any) -> tuple[Any, Any]:
    squares = ak.sum(balls * balls, axis=1, keepdims=True)
    return balls / ak.sqrt(1.0 + FREE * squares), ak.sqrt(ak.maximum(squares, 1.0)) - 1.0


REGIONS = {
    "half": FeasibleSet(
        nearest=lambda rows: np.minimum(rows, EDGE),
        free=lambda w: np.array([math.log(math.expm1(1.0 - w[0])), w[1]]),
        look=half_plane_positions,
    ),
    "disc": FeasibleSet(
        nearest=lambda rows: rows / np.maximum(1.0, np.hypot(rows[:, :1], rows[:, 1:])),
        free=lambda w: w / math.sqrt(1.0 - float(w @ w)),
        look=disc_positions,
    ),
}


class ConstrainedDescent(KernelWidget):
    """Descend to a point that is not allowed: by projection, by a penalty, and by other parameters.

    Parameters
    ----------
    region : {"half", "disc"}, optional
        What is allowed: ``w0 <= 1``, or the disc of radius 1.
    target : list of two floats, optional
        Where the loss alone is least.
    penalty : float, optional
        The factor of ½ · (distance outside)² in the loss of the second ball, 1 to 1000.
    rate : float, optional
        The learning rate of all three, .005 to .6.
    at : int, optional
        The step that is shown, 0 to 32.

    Notes
    -----
    The loss is ``½(w0 - t0)² + 3/2 (w1 - t1)²``, with one recorded tape a step for all three balls: the first is
    projected by a ``constraint``, the second has a penalty in its loss, the third is a function of free numbers.
    """

    _front_end = "lesson16.js"

    region = Input(traitlets.Enum(tuple(REGIONS), default_value="half"))
    target: Any = Input(traitlets.List(traitlets.Float(), [2.0, 0.5]))
    penalty = Input(traitlets.Float(9.0, min=1.0, max=1000.0))
    rate = Input(traitlets.Float(0.1, min=0.005, max=0.6))
    at = ViewState(traitlets.Int(STEPS, min=0, max=STEPS))

    paths = Output()
    outside = Output()
    losses = Output()
    stepped = Output()
    best = Output()
    limit = Output()

    @traitlets.validate("target")
    def _in_the_picture(self, proposal: Any) -> Any:
        target = proposal["value"]
        fits = len(target) == 2 and all(a <= t <= b for t, a, b in zip(target, LEAST, MOST, strict=False))
        if not fits:
            raise traitlets.TraitError(f"target is a point from {LEAST} to {MOST}; got {target}")
        return target

    def compute_outputs(self) -> dict[str, Any]:
        """Three paths, how far outside they are, and the best point that is allowed."""
        region, target = REGIONS[self.region], np.array(self.target)
        found, stepped = self._descend(region, target)
        paths = {way: found[:, i] for i, way in enumerate(WAYS)}
        losses = 0.5 * (found - target) ** 2 @ np.array([1.0, STEEP])
        return {
            "paths": {way: path.tolist() for way, path in paths.items()},
            "outside": {way: np.hypot(*(path - region.nearest(path)).T).tolist() for way, path in paths.items()},
            "losses": {way: losses[:, i].tolist() for i, way in enumerate(WAYS)},
            "stepped": stepped,
            "best": [float(one) + 0.0 for one in constrained_minimum(self.region, target)],
            "limit": 2.0 / max(1.0 + self.penalty, STEEP) if self.region == "half" else 2.0 / (STEEP + self.penalty),
        }

    def _descend(self, region: FeasibleSet, target: Array) -> tuple[Array, list[list[float]]]:
        """Where the balls have been, and where the first one stepped before it was projected."""
        stepped: list[list[float]] = []

        def nearest(balls: Array) -> Array:
            stepped.append(balls[0].tolist())
            return np.concatenate([region.nearest(balls[:1]), balls[1:]])

        start, seen = np.array(START), []
        weights, penalty = 0.5 * np.array([1.0, STEEP]), 0.5 * self.penalty * PENALISED
        balls = ak.Variable([start, start, region.free(start)], constraint=nearest)
        optimizer = ak.optim.SGD(self.rate)
        for _ in range(STEPS):
            with ak.GradientTape() as tape:
                places, excess = region.look(balls)
                away = places - target
                loss = ak.sum(weights * away * away) + ak.sum(penalty * excess * excess)
            seen.append(places.numpy())
            optimizer.apply_gradients([(tape.gradient(loss, balls), balls)])
        seen.append(region.look(balls)[0].numpy())
        return np.array(seen) + 0.0, stepped

    def as_table(self) -> Table:
        """Each ball at the step that is shown."""
        rows = [
            (
                way,
                *self.paths[way][self.at],
                self.outside[way][self.at],
                self.losses[way][self.at],
                math.dist(self.paths[way][self.at], self.best),
            )
            for way in WAYS
        ]
        allowed = "w0 ≤ 1" if self.region == "half" else "the disc of radius 1"
        caption = f"Allowed: {allowed}. Penalty {self.penalty:g}, learning rate {self.rate:g}, step {self.at}"
        return Table(caption, ("way", "w0", "w1", "outside by", "loss", "from the best"), rows, digits=4)

    def static_figure(self) -> Any:
        """The three paths as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 3.6))
        axes = figure.subplots()
        corner = np.linspace(0, 2 * np.pi, 100)
        if self.region == "half":
            axes.axvline(1.0, color="0.4")
        else:
            axes.plot(np.cos(corner), np.sin(corner), color="0.4")
        for way, look in zip(WAYS, ("o-", "s--", "^:"), strict=True):
            axes.plot(*np.clip(self.paths[way], LEAST, MOST).T, look, color="black", ms=3, lw=0.8, label=way)
        axes.plot(*self.target, "x", color="black")
        axes.set(xlim=(LEAST[0], MOST[0]), ylim=(LEAST[1], MOST[1]), aspect="equal", xlabel="w0", ylabel="w1")
        axes.legend(frameon=False, fontsize=8)
        return figure


def constrained_minimum(region: str, target: Array) -> Array:
    """The allowed point at which the loss is least."""
    if region == "half":
        return np.asarray(np.minimum(target, EDGE))
    if math.hypot(*target) <= 1:
        return target
    low, high = 0.0, 100.0  # the multiplier: the loss pulls with it against the edge of the disc
    for _ in range(60):
        push = (low + high) / 2
        w = np.array([target[0] / (1 + push), STEEP * target[1] / (STEEP + push)])
        low, high = (push, high) if math.hypot(*w) > 1 else (low, push)
    return np.asarray(w)
