"""Lesson 10 widget: stop_gradient on the paths from x to its variance and to a normalised value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["StopGradientPaths"]

COUNT = 4
LEAST, MOST = 0.0, 9.0
VALVES = {
    "A": "x into the numerator",
    "B": "μ into the numerator",
    "C": "x into the variance",
    "D": "μ into the variance",
    "E": "the variance into σ",
}
TARGETS = ("v", "y0", "y1", "y2", "y3")
Carried = list[float] | None


class StopGradientPaths(KernelWidget):
    """Stop paths from x to its variance, or to a normalised entry, and see which gradients change.

    Parameters
    ----------
    x : list of four floats, optional
    target : {"v", "y0", "y1", "y2", "y3"}, optional
        The variance v = mean((x - μ)²), or an entry of y = (x - μ)/√v.
    shut : list of str, optional
        Letters of the paths, of A to E, that have a ``stop_gradient``.
    order : {1, 2}, optional
        The gradient, or how its first entry changes with x: the first row of the Hessian.

    Notes
    -----
    Every number is from a recorded tape. What a path carries is computed along it alone, and rounded to 12 decimals.
    """

    _front_end = "lesson10.js"

    x: Any = Input(traitlets.List(traitlets.Float(), [1.0, 2.0, 3.0, 4.0]))
    target = Input(traitlets.Enum(TARGETS, default_value="y0"))
    shut: Any = Input(traitlets.List(traitlets.Enum(tuple(VALVES)), []))
    order = Input(traitlets.Enum((1, 2), default_value=1))

    values = Output()
    carried = Output()
    gradient = Output()
    whole = Output()

    @traitlets.validate("x")
    def _four_numbers(self, proposal: Any) -> Any:
        x = proposal["value"]
        if len(x) != COUNT or not all(math.isfinite(one) and LEAST <= one <= MOST for one in x):
            raise traitlets.TraitError(f"x holds {COUNT} numbers from {LEAST:g} to {MOST:g}; got {x}")
        return x

    def compute_outputs(self) -> dict[str, Any]:
        """What each path carries, their sum, and the sum without any stop."""
        with np.errstate(all="ignore"):
            values, carried, gradient = self._pulled(set(self.shut))
            whole = self._pulled(set())[2] if self.shut else gradient
        return {"values": values, "carried": carried, "gradient": gradient, "whole": whole}

    def _pulled(self, shut: set[str]) -> tuple[dict[str, Any], dict[str, Carried], Carried]:
        """Values forward; for each path what comes along it; and the gradient, or a row of the Hessian."""
        x = ak.constant(np.array(self.x))
        with ak.GradientTape(persistent=True) as second:
            second.watch(x)
            with ak.GradientTape(persistent=True) as first:
                first.watch(x)
                valves, values = record_with_valves(x, shut)
                target = values["v"] if self.target == "v" else values["y"][int(self.target[1])]
            paths = {
                name: gradient_along_path(first, target, valve, values["mean"], x) for name, valve in valves.items()
            }
            gradient = first.gradient(target, x)
            if self.order == 2:
                paths = {name: None if one is None else one[0] for name, one in paths.items()}
                slope = None if gradient is None else gradient[0]
        if self.order == 2:
            paths = {name: None if one is None else second.gradient(one, x) for name, one in paths.items()}
            gradient = None if slope is None else second.gradient(slope, x)
        shown = {name: value.numpy().tolist() for name, value in values.items()}
        return shown, {name: _floats(one) for name, one in paths.items()}, _floats(gradient)

    def as_table(self) -> Table:
        """What each path carries to each entry of x, and the sum."""
        rows: list[Any] = [
            (f"{name}: {VALVES[name]}{' (stopped)' if name in self.shut else ''}", *table_cells(self.carried[name]))
            for name in "ABCD"
        ]
        rows += [
            ("sum of the paths", *table_cells(self.gradient)),
            ("sum without a stop", *table_cells(self.whole)),
        ]
        what = "gradient" if self.order == 1 else "first row of the Hessian"
        stopped = ", ".join(sorted(self.shut)) or "none"
        columns = ("path", *(f"x{i}" for i in range(COUNT)))
        return Table(f"The {what} of {self.target}; stopped: {stopped}", columns, rows, digits=4)

    def static_figure(self) -> Any:
        """The gradient beside the one without a stop, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 2.2))
        axes = figure.subplots()
        for place, heights, look in ((-0.2, self.whole, "#bbbbbb"), (0.2, self.gradient, "#d55e00")):
            shown = heights or [0.0] * COUNT
            axes.bar([i + place for i in range(COUNT)], shown, width=0.36, color=look)
        axes.axhline(0.0, color="black", linewidth=0.8)
        names = zip(self.gradient or [None] * COUNT, range(COUNT), strict=True)
        axes.set_xticks(range(COUNT), [f"x{i}: {'None' if g is None else number(g, 4)}" for g, i in names])
        axes.set_ylabel("without a stop | now")
        return figure


def record_with_valves(x: Any, shut: set[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The variance and the normalised entries, with an identity or a stop on every path."""
    valves: dict[str, Any] = {}

    def valve(name: str, value: Any) -> Any:
        valves[name] = ak.stop_gradient(value) if name in shut else ak.identity(value)
        return valves[name]

    mean = ak.mean(x)
    above = valve("A", x) - valve("B", mean)
    variance = ak.mean((valve("C", x) - valve("D", mean)) ** 2)
    y = above / ak.sqrt(valve("E", variance))
    return {name: valves[name] for name in "ABCD"}, {"mean": mean, "above": above, "v": variance, "y": y}


def gradient_along_path(tape: Any, target: Any, valve: Any, mean: Any, x: Any) -> Any:
    """What one path carries to the entries of x; None where it is stopped, or not used."""
    arrived = tape.gradient(target, valve)
    if arrived is None or arrived.ndim:
        return arrived
    return tape.gradient(mean, x, output_gradients=arrived)


def _floats(tensor: Any) -> Carried:
    """Plain numbers rounded to 12 decimals, with no sign on a zero."""
    return None if tensor is None else [round(float(one), 12) + 0.0 for one in tensor.numpy()]


def table_cells(carried: Carried) -> list[float | None]:
    return [None] * COUNT if carried is None else list(carried)
