"""Lesson 04 widget: a while loop unrolled on a tape, its piecewise slope, and a finite difference beside it."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["DoublingLoop"]

LIMIT, FACTOR = 100.0, 2.0
LEAST, MOST = 2.0, 8.0
NEAREST, WIDEST = 1e-3, 0.4
LEFT, RIGHT = LEAST - WIDEST, MOST + WIDEST  # what the picture shows


def run_loop(x: Any, compare: str) -> list[Any]:
    """``while abs(x) < 100: x = x * 2``, with every x on the way; on numbers or on tensors."""
    way = [x]
    while abs(x) < LIMIT or (compare == "<=" and abs(x) == LIMIT):
        x = x * FACTOR
        way.append(x)
    return way


def record_loop(x: float, compare: str) -> tuple[ak.GradientTape, list[Any]]:
    """The loop on a persistent tape."""
    start = ak.Variable(x, name="x")
    with ak.GradientTape(persistent=True) as tape:
        way = run_loop(start, compare)
    return tape, way


def value_and_slope(x: float, compare: str) -> tuple[float, float]:
    """The result at x, and its slope from a tape."""
    tape, way = record_loop(x, compare)
    return float(way[-1]), float(tape.gradient(way[-1], way[0]))


@cache
def pieces(compare: str) -> list[dict[str, float]]:
    """The stretches of x with one number of turns: both ends, the results just inside of them, and the slope."""
    meets = (LIMIT / FACTOR**n for n in range(9, -1, -1))
    ends = [LEFT, *(x for x in meets if LEFT < x < RIGHT), RIGHT]
    found = []
    for a, b in pairwise(ends):
        (first, slope), (last, _) = (value_and_slope(float(np.nextafter(x, to)), compare) for x, to in ((a, b), (b, a)))
        found.append({"from": a, "to": b, "first": first, "last": last, "slope": slope})
    return found


@cache
def jumps(compare: str) -> list[dict[str, float]]:
    """Where two stretches meet, and the result just there."""
    found = []
    for piece in pieces(compare)[1:]:
        value, slope = value_and_slope(piece["from"], compare)
        found.append({"x": piece["from"], "value": value, "slope": slope})
    return found


class DoublingLoop(KernelWidget):
    """Move x, and see the turns that the loop takes, the slope through them, and a difference beside it.

    Parameters
    ----------
    x : float, optional
        The input of ``while abs(x) < 100: x = x * 2``, from 2 to 8.
    h : float, optional
        The step of the central difference, from 0.001 to 0.4.
    compare : {"<", "<="}, optional
        The comparison that decides whether a turn is taken.

    Notes
    -----
    The loop runs on a tape. Every slope is a gradient that the tape answers: of each turn's value with respect to x,
    and of the result with respect to each turn's value.
    """

    _front_end = "lesson04.js"

    x = Input(traitlets.Float(3.0))
    h = Input(traitlets.Float(0.1))
    compare = Input(traitlets.Enum(("<", "<="), default_value="<"))

    turns = Output()
    value = Output()
    slope = Output()
    difference = Output()
    nodes = Output()
    pieces = Output()
    jumps = Output()

    @traitlets.validate("x")
    def _on_the_picture(self, proposal: Any) -> Any:
        return check_between("x", proposal["value"], LEAST, MOST)

    @traitlets.validate("h")
    def _a_step(self, proposal: Any) -> Any:
        return check_between("h", proposal["value"], NEAREST, WIDEST)

    def compute_outputs(self) -> dict[str, Any]:
        """Run the loop on a tape, and ask it for the gradients of every turn."""
        tape, way = record_loop(self.x, self.compare)
        back = tape.gradient(way[-1], way)
        turns = [
            {"value": float(one), "slope": float(tape.gradient(one, way[0])), "back": float(g)}
            for one, g in zip(way, back, strict=True)
        ]
        return {
            "turns": turns,
            "value": turns[-1]["value"],
            "slope": turns[-1]["slope"],
            "difference": self._difference(),
            "nodes": len(tape.nodes),
            "pieces": pieces(self.compare),
            "jumps": jumps(self.compare),
        }

    def _difference(self) -> dict[str, Any]:
        """The central difference, from two runs without a tape."""
        ends = [self.x - self.h, self.x + self.h]
        below, above = (run_loop(x, self.compare) for x in ends)
        return {
            "ends": ends,
            "values": [below[-1], above[-1]],
            "turns": [len(below) - 1, len(above) - 1],
            "slope": (above[-1] - below[-1]) / (2 * self.h),
        }

    def as_table(self) -> Table:
        """The loop turn by turn."""
        difference = self.difference["slope"]
        caption = (
            f"while abs(x) {self.compare} 100: x = x * 2, from x = {self.x:g}: slope {number(self.slope, 0)}; "
            f"a central difference with step {self.h:g} gives {number(difference, 0)}"
        )
        rows = [(str(k), turn["value"], turn["slope"], turn["back"]) for k, turn in enumerate(self.turns)]
        return Table(caption, ("turn", "x", "slope so far", "gradient"), rows, digits=4)

    def static_figure(self) -> Any:
        """Value and slope over x, with the learner's x, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.5, 3.6), layout="constrained")
        upper, lower = figure.subplots(2, sharex=True)
        for piece in self.pieces:
            across = (piece["from"], piece["to"])
            upper.plot(across, (piece["first"], piece["last"]), color="black")
            lower.plot(across, (piece["slope"],) * 2, color="#d55e00")
        upper.plot(self.x, self.value, "o", color="black")
        lower.plot(self.x, self.slope, "o", color="#d55e00")
        upper.set_ylabel("result")
        lower.set(ylabel="slope", xlabel="x", ylim=(0, None))
        return figure


def check_between(name: str, value: float, low: float, high: float) -> float:
    if not (math.isfinite(value) and low <= value <= high):
        raise traitlets.TraitError(f"{name} is a number from {low:g} to {high:g}; got {value}")
    return value
