"""Lesson 07 widget: fake quantisation, and the gradients of the minimum and maximum of its range."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, vector
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["FakeQuantGradients"]

COUNT = 5
LEAST, MOST = -6.0, 6.0
NAMES = tuple(f"x{i}" for i in range(COUNT))


class FakeQuantGradients(KernelWidget):
    """Five numbers, fake-quantised in the range from their minimum to their maximum, and the gradient of the sum of y.

    Parameters
    ----------
    x : list of five floats, optional
    bits : int, optional
        2, 3 or 4: there are ``2**bits`` levels.
    min_home, max_home : bool, optional
        Whether the gradient of min (max) goes on to the entries that equal it, or stops there.

    Notes
    -----
    Every number is from a recorded tape: y by ``relax.fake_quant``, the gradients with respect to x, min and max from
    the tape, and the nudged range from values far beyond it.
    """

    _front_end = "lesson07.js"

    x: Any = Input(traitlets.List(traitlets.Float(), [-4.0, -3.5, 0.0, 1.0, 5.0]))
    bits = Input(traitlets.Int(2, min=2, max=4))
    min_home = Input(traitlets.Bool(True))
    max_home = Input(traitlets.Bool(True))

    entries = Output()
    ends = Output()
    levels = Output()

    @traitlets.validate("x")
    def _five_numbers(self, proposal: Any) -> Any:
        x = proposal["value"]
        if len(x) != COUNT or not all(math.isfinite(one) and LEAST <= one <= MOST for one in x):
            raise traitlets.TraitError(f"x holds {COUNT} numbers from {LEAST:g} to {MOST:g}; got {x}")
        return x

    def compute_outputs(self) -> dict[str, Any]:
        """The values, and the parts of the gradient of their sum with respect to x."""
        x = ak.Variable(np.array(self.x), name="x")
        with ak.GradientTape(persistent=True) as tape:
            low = range_end(tape, ak.min(x), self.min_home)
            high = range_end(tape, ak.max(x), self.max_home)
            y = ak.relax.fake_quant(x, low, high, self.bits)
            straight = ak.relax.fake_quant(x, float(low), float(high), self.bits)
        into_x, into_low, into_high = (g.numpy() for g in tape.gradient(y, [x, low, high]))
        ways = {
            "straight": tape.gradient(straight, x).numpy(),
            "by_min": gradient_through_end(tape, low, x, into_low),
            "by_max": gradient_through_end(tape, high, x, into_high),
            "into_x": into_x,
        }
        first, last = self._nudged(float(low), float(high))
        return {
            "entries": [
                {"x": one, "y": float(y.numpy()[i]) + 0.0, "side": side_of_range(one, first, last)}
                | {name: None if way is None else float(way[i]) for name, way in ways.items()}
                for i, one in enumerate(self.x)
            ],
            "ends": {
                "low": float(low),
                "high": float(high),
                "first": first,
                "last": last,
                "into_min": float(into_low),
                "into_max": float(into_high),
            },
            "levels": np.linspace(first, last, 2**self.bits),
        }

    def _nudged(self, low: float, high: float) -> tuple[float, float]:
        """The ends of the nudged range: where values far beyond them go."""
        far = 2 * (high - low)
        first, last = ak.relax.fake_quant([low - far, high + far], low, high, self.bits).numpy()
        return float(first) + 0.0, float(last) + 0.0

    def as_table(self) -> Table:
        """Each entry: its value, where it is, and the parts of its gradient."""
        rows = [
            (name, *(entry[key] for key in ("x", "y", "side", "straight", "by_min", "by_max", "into_x")))
            for name, entry in zip(NAMES, self.entries, strict=True)
        ]
        columns = ("entry", "x", "y", "where", "inside", "through min", "through max", "gradient")
        gradient = vector([entry["into_x"] for entry in self.entries], 0 if self._whole() else 2)
        first, last = self.ends["first"], self.ends["last"]
        caption = f"{self.bits} bits, nudged range ({first + 0:g}, {last + 0:g}): the gradient of the sum is {gradient}"
        return Table(caption, columns, rows, digits=2)

    def _whole(self) -> bool:
        return all(entry["into_x"].is_integer() for entry in self.entries)

    def static_figure(self) -> Any:
        """The levels with the five entries, and their gradients, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5.5, 2.6))
        stairs, bars = figure.subplots(1, 2)
        x = [entry["x"] for entry in self.entries]
        edges = (np.array(self.levels)[1:] + np.array(self.levels)[:-1]) / 2
        stairs.stairs(self.levels, [-8, *edges, 8], baseline=None, color="black")
        stairs.plot(x, [entry["y"] for entry in self.entries], "o", color="black")
        stairs.set(xlabel="x", ylabel="y")
        bars.bar(NAMES, [entry["into_x"] for entry in self.entries], color="#d55e00")
        bars.set_ylabel("gradient of the sum")
        figure.set_layout_engine("constrained")
        return figure


def range_end(tape: Any, end: Any, home: bool) -> Any:
    """An end of the range; where gradients stop there, a watched leaf, whose own gradient can still be asked for."""
    if home:
        return end
    leaf = ak.stop_gradient(end)
    tape.watch(leaf)
    return leaf


def gradient_through_end(tape: Any, end: Any, x: Any, into_end: Any) -> Any:
    """The gradient that reaches the entries which are the minimum or maximum; None where it is stopped."""
    found = tape.gradient(end, x, output_gradients=into_end)
    return None if found is None else found.numpy()


def side_of_range(one: float, first: float, last: float) -> str:
    return "below" if one < first else "above" if one > last else "inside"
