"""Lesson 03 widget: where and cond, and the gradient of the branch that was not taken."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["WhereBranches"]

COUNT = 3
LEAST, MOST = -4.0, 9.0
SIDES: dict[str, Callable[[Any], Any]] = {"sqrt": ak.sqrt, "log": ak.log, "reciprocal": ak.reciprocal}
WAYS = ("where", "inner", "absorb", "cond")
Row = dict[str, Any]


class WhereBranches(KernelWidget):
    """Choose ``f(x)`` where x > 0 and 0 elsewhere, in four ways, and follow the backward pass through both sides.

    Parameters
    ----------
    x : list of three floats, optional
    f : {"sqrt", "log", "reciprocal"}, optional
        The side that is chosen where x > 0.
    way : {"where", "inner", "absorb", "cond"}, optional
        ``where`` around f; a second one around the input of f; the first one with ``zero_absorbs``; ``cond``, entry
        by entry.
    step : int, optional
        How far the backward pass is shown, 0 to 4.

    Notes
    -----
    x is a factor w, which is 1, times three numbers, so that one NaN among them reaches what all of them share. Every
    number is from a recorded tape: gradients of the sum, and the slope of f from a gradient of f alone.
    """

    _front_end = "lesson03.js"

    x: Any = Input(traitlets.List(traitlets.Float(), [-1.0, 0.0, 4.0]))
    f = Input(traitlets.Enum(tuple(SIDES), default_value="sqrt"))
    way = Input(traitlets.Enum(WAYS, default_value="where"))
    step = ViewState(traitlets.Int(0, min=0, max=4))

    rows = Output()
    into_w = Output()

    @traitlets.validate("x")
    def _three_numbers(self, proposal: Any) -> Any:
        x = proposal["value"]
        if len(x) != COUNT or not all(math.isfinite(one) and LEAST <= one <= MOST for one in x):
            raise traitlets.TraitError(f"x holds {COUNT} numbers from {LEAST:g} to {MOST:g}; got {x}")
        return x

    def compute_outputs(self) -> dict[str, Any]:
        """Each entry's values and gradients, and the gradient of the factor that all entries share."""
        with np.errstate(all="ignore"):
            return self._by_cond() if self.way == "cond" else self._by_where()

    def _by_where(self) -> dict[str, Any]:
        f, w, other = SIDES[self.f], ak.Variable(1.0, name="w"), ak.constant(np.zeros(COUNT))
        with ak.GradientTape(persistent=True) as tape:
            tape.watch(other)
            x = w * np.array(self.x)
            given = ak.where(x > 0, x, 1.0) if self.way == "inner" else x
            side = f(given)
            y = ak.where(x > 0, side, other)
            loss = y.sum()
        slope = tape.gradient(side, given)
        with ak.zero_absorbs() if self.way == "absorb" else nullcontext():
            into = tape.gradient(loss, [y, side, other, given, x, w])
        columns = dict(zip(NAMES, (x, given, side, y, slope, *into[:-1]), strict=True))
        rows = [{name: _float(column.numpy()[i]) for name, column in columns.items()} for i in range(COUNT)]
        return {
            "rows": [{"chosen": one > 0, **row} for one, row in zip(self.x, rows, strict=True)],
            "into_w": _float(into[-1]),
        }

    def _by_cond(self) -> dict[str, Any]:
        f, w = SIDES[self.f], ak.Variable(1.0, name="w")
        others = [ak.Variable(0.0) for _ in range(COUNT)]
        sides: dict[int, Any] = {}

        def run(i: int) -> Any:
            sides[i] = f(x[i])
            return sides[i]

        with ak.GradientTape(persistent=True) as tape:
            x = [w * one for one in self.x]
            y = [ak.cond(x[i] > 0, lambda i=i: run(i), lambda i=i: others[i] * 1.0) for i in range(COUNT)]
            loss = ak.stack(y).sum()
        rows = []
        for i in range(COUNT):
            side = sides.get(i)
            slope, into_side = (
                (None, None) if side is None else (tape.gradient(t, s) for t, s in ((side, x[i]), (loss, side)))
            )
            into = tape.gradient(loss, [y[i], others[i], x[i]])
            found = (x[i], x[i], side, y[i], slope, into[0], into_side, into[1], into[2], into[2])
            rows.append({"chosen": i in sides} | {n: _float(v) for n, v in zip(NAMES, found, strict=True)})
        return {"rows": rows, "into_w": _float(tape.gradient(loss, w))}

    def as_table(self) -> Table:
        """Each entry, forward and back."""
        names = ("x", "value", "y", "into_side", "slope", "into_x")
        rows = [(f"x{i}", "f" if row["chosen"] else "0", *(row[n] for n in names)) for i, row in enumerate(self.rows)]
        columns = ("entry", "chosen", "x", "f(x)", "y", "gradient of f(x)", "slope of f", "gradient of x")
        into_w = "None" if self.into_w is None else number(self.into_w, 4)
        return Table(f"{self.f} where x > 0, else 0, by {self.way}; gradient of w: {into_w}", columns, rows, digits=4)

    def static_figure(self) -> Any:
        """The gradient of x, entry by entry, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 2.2))
        axes = figure.subplots()
        heights = [row["into_x"] for row in self.rows]
        axes.bar(range(COUNT), [g if g is not None and math.isfinite(g) else 0.0 for g in heights], color="#d55e00")
        for i, g in enumerate(heights):
            axes.annotate("None" if g is None else number(g, 4), (i, 0), ha="center", va="bottom")
        axes.set_xticks(range(COUNT), [f"x = {one:g}" for one in self.x])
        axes.set_ylabel("gradient of x")
        return figure


NAMES = ("x", "given", "value", "y", "slope", "into_y", "into_side", "into_other", "into_given", "into_x")


def _float(value: Any) -> float | None:
    """A number without a sign on its zero; None stays None."""
    return None if value is None else float(value) + 0.0
