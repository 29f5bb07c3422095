"""Lesson 06 widget: gradient descent on floor through surrogate gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["FloorDescent"]

RULES = ("none", "straight", "sigmoid", "linear", "filter")
STEPS = (1, 5)
TARGET = 3.0
RATE = 0.1
COUNT = 200
GRID = np.linspace(0.0, 6.0, 361)
WINDOW = 1.5 + (np.arange(1000) + 0.5) / 1000  # where the area under one step is taken


def surrogate(rule: str, x: Any, s: float) -> Any:
    """The value of a rule's function, recorded so that the backward pass uses the rule's derivative.

    Parameters
    ----------
    rule : {"none", "straight", "sigmoid", "linear", "filter"}
    x : Tensor or array_like
    s : float
        Sharpness: each rule's steepest slope is ``s / 4``.
    """
    if rule == "none":
        return ak.floor(x)
    if rule == "straight":
        return ak.relax.straight_through(ak.floor(x), x)
    if rule == "sigmoid":
        return ak.relax.soft_floor(x, 1 / s, steps=STEPS)
    if rule == "linear":
        return ak.relax.piecewise_linear_floor(x, 4 / s, steps=STEPS)
    return ak.relax.filtered_floor(x, 8 / s, steps=STEPS)


def annealed(t: int) -> float:
    """The sharpness of step t = 1 … 200 when it grows from 1 to 20 by the same factor each step."""
    return float(20.0 ** ((t - 1) / (COUNT - 1)))


def heights_and_slopes(rule: str, points: Any, s: float) -> tuple[Any, Any]:
    """Heights and slopes at many points, by one backward pass; the slope is None where the rule has no gradient."""
    x = ak.constant(points)
    with ak.GradientTape() as tape:
        tape.watch(x)
        y = surrogate(rule, x, s)
    return y, tape.gradient(y, x)


class FloorDescent(KernelWidget):
    """Minimise ``(floor(x) - 3)²`` with a replacement for floor's derivative.

    Parameters
    ----------
    rule : {"none", "straight", "sigmoid", "linear", "filter"}, optional
    s : float, optional
        Sharpness, 0.25 to 1000; by hand 1 to 50.
    start : float, optional
        Where the search begins, 0 to 6.
    anneal : bool, optional
        Let the sharpness grow from 1 to 20 over the steps.
    step : int, optional
        Which step of the descent is shown, 0 to 200.

    Notes
    -----
    Every slope is a gradient of a tape that the kernel recorded: one sweep for a whole curve, and one tape for each
    step of the descent, which ends early once a step moves nothing.
    """

    _front_end = "lesson06.js"

    rule = Input(traitlets.Enum(RULES, default_value="sigmoid"))
    s = Input(traitlets.Float(4.0, min=0.25, max=1000.0))
    start = Input(traitlets.Float(0.3, min=0.0, max=6.0))
    anneal = Input(traitlets.Bool(False))
    step = Input(traitlets.Int(0, min=0, max=COUNT))

    grid = Output()
    surrogate = Output()
    slope = Output()
    area = Output()
    at_two = Output()
    trail = Output()
    heights = Output()
    on_curve = Output()
    temperature = Output()
    arrived = Output()

    def __init__(self, **kwargs: Any) -> None:
        self._known: dict[str, tuple[Any, dict[str, Any]]] = {}
        super().__init__(**kwargs)

    def compute_outputs(self) -> dict[str, Any]:
        """Curves and descent; each is computed anew only when something that it depends on has changed."""
        soft = self.rule not in ("none", "straight")
        growing = self.anneal and soft
        sharpness = self.s if soft else 1.0
        descent = self._cached("descent", (self.rule, sharpness, self.start, growing), self._descend)
        shown = descent["temperature"][self.step] if growing else sharpness
        curves = self._cached("curves", (self.rule, shown), self._draw)
        # The curve moves while the sharpness grows; where the point has been is drawn on the curve that is there.
        heights = surrogate(self.rule, descent["trail"], shown).numpy() if growing else descent["heights"]
        return {"grid": GRID, **descent, **curves, "on_curve": heights}

    def _cached(self, name: str, key: Any, compute: Any) -> dict[str, Any]:
        known = self._known.get(name)
        if known is None or known[0] != key:
            known = self._known[name] = (key, compute(*key))
        return known[1]

    @staticmethod
    def _draw(rule: str, s: float) -> dict[str, Any]:
        heights, slope = heights_and_slopes(rule, GRID, s)
        _, under = heights_and_slopes(rule, WINDOW, s)
        return {
            "surrogate": heights.numpy(),
            "slope": [None] * GRID.size if slope is None else slope.numpy(),
            "area": None if under is None else float(under.mean()),
            "at_two": float(surrogate(rule, 2.0, s)),
        }

    @staticmethod
    def _descend(rule: str, s: float, start: float, growing: bool) -> dict[str, Any]:
        x = ak.Variable(start)
        sharp = [annealed(t) if growing else s for t in range(1, COUNT + 1)]
        trail, heights, arrived = [start], [], None
        for t in range(COUNT):
            with ak.GradientTape() as tape:
                height = surrogate(rule, x, sharp[t])
                loss = ak.square(height - TARGET)
            slope = tape.gradient(loss, x)
            heights.append(float(height))
            moved = 0.0 if slope is None else RATE * float(slope)
            x.assign_sub(moved)
            trail.append(float(x))
            if arrived is None and math.floor(trail[-1]) == TARGET:
                arrived = t + 1
            if trail[-1] == trail[-2] and not growing:  # from here on every step is this one again
                rest = COUNT - t - 1
                trail += [trail[-1]] * rest
                heights += [heights[-1]] * rest
                break
        temperature = [*sharp, sharp[-1]]
        heights.append(float(surrogate(rule, trail[-1], sharp[-1])))
        return {"trail": trail, "heights": heights, "temperature": temperature, "arrived": arrived}

    def as_table(self) -> Table:
        """The descent as a table."""
        rows = [
            (str(t), self.trail[t], self.heights[t], self.temperature[t]) for t in (0, 1, 2, 5, 10, 20, 50, 100, 200)
        ]
        ends = "never at 3" if self.arrived is None else f"floor(x) was 3 after {self.arrived} steps"
        return Table(f"Descent with rule {self.rule}: {ends}", ("step", "x", "height", "s"), rows)

    def static_figure(self) -> Any:
        """floor, the relaxation and its derivative as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 4.2))
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        upper.step(range(7), range(7), where="post", color="0.6", linewidth=1)
        upper.plot(GRID, self.surrogate, color="black")
        upper.plot(self.trail, self.on_curve, ".", color="black", markersize=4)
        upper.set_ylabel("height")
        if self.slope[0] is not None:
            lower.plot(GRID, self.slope, color="#d55e00")
        lower.set_ylabel("derivative used")
        lower.set_xlabel("x")
        return figure
