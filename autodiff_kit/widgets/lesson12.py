"""Lesson 12 widget: assignment to a variable, and what a saved residual sees of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import traitlets

import autodiff_kit as ak
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["VariableState"]

LEAST, MOST = -10.0, 10.0
MOVED = 2.0**-10  # how far x0 is moved for the difference; for a square it is exact
WAYS = ("assign", "update")
HOLDS = ("copy", "reference", "version")


class OverwrittenError(RuntimeError):
    """What a record held by reference is not what it was."""


class VersionedNumber:
    """A number in memory, and a version that counts the writes to it."""

    def __init__(self, number: float) -> None:
        self.number, self.version = number, 0

    def write(self, number: float) -> None:
        self.number = number
        self.version += 1


class VariableState(KernelWidget):
    """Send a number through a variable, write into the variable later, and ask for the gradient.

    Parameters
    ----------
    x0, x1, later : float, optional
        What the two variables hold at first, and what is written into x1 after y was computed.
    way : {"assign", "update"}, optional
        ``x1.assign_add(x0)``, or a new value ``s = x1 + x0``.
    hold : {"copy", "reference", "version"}, optional
        What the square keeps for its slope: a copy of its input; the place of it; the place, and how often that had
        been written to.
    step : int, optional
        How far the program is shown, 0 to 5; at first, one line has run.

    Notes
    -----
    The program runs on a real tape. The square is a custom gradient whose pull reads what was kept; the difference runs
    the program twice more, with x0 moved.
    """

    _front_end = "lesson12.js"

    x0: Any = Input(traitlets.Float(3.0))
    x1: Any = Input(traitlets.Float(0.0))
    later: Any = Input(traitlets.Float(10.0))
    way = Input(traitlets.Enum(WAYS, default_value="assign"))
    hold = Input(traitlets.Enum(HOLDS, default_value="copy"))
    step = ViewState(traitlets.Int(1, min=0, max=5))

    scene = Output()

    @traitlets.validate("x0", "x1", "later")
    def _a_number_within_reach(self, proposal: Any) -> Any:
        value = proposal["value"]
        if not (math.isfinite(value) and LEAST <= value <= MOST):
            raise traitlets.TraitError(f"{proposal['trait'].name} is from {LEAST:g} to {MOST:g}; got {value}")
        return value

    def compute_outputs(self) -> dict[str, Any]:
        """The program's values and gradients, and what a difference says."""
        ran = self._run(self.x0)
        ends = [self._run(self.x0 + by)["y"] for by in (MOVED, -MOVED)]
        return {"scene": ran | {"difference": (ends[0] - ends[1]) / (2 * MOVED) + 0.0}}

    def _run(self, start: float) -> dict[str, Any]:
        """Run the program on a tape of its own."""
        x0, x1 = ak.Variable(start, name="x0"), ak.Variable(self.x1, name="x1")
        box = VersionedNumber(self.x1)
        with ak.GradientTape(persistent=True) as tape:
            if self.way == "assign":
                x1.assign_add(x0)
                box.write(float(unwrap(x1)))
                given, cell = x1.read_value(), box
            else:
                given = x1 + x0
                cell = VersionedNumber(float(unwrap(given)))
            square, held = square_with_residual(cell, self.hold)
            y = square(given)
        put = float(unwrap(x1))
        x1.assign(self.later)
        box.write(self.later)
        try:
            found, loud = tape.gradient(y, [given, x0, x1]), ""
        except OverwrittenError as error:
            found, loud = [None, None, None], str(error)
        names = ("into_given", "into_x0", "into_x1")
        return {
            "put": put,
            "given": float(unwrap(given)),
            "y": float(unwrap(y)),
            "held": None if loud else held(),
            "version": cell.version,
            "recorded": [node.op for node in tape.nodes],
            "why": tape.explain(y, x0).headline,
            "loud": loud,
            **{name: _number(gradient) for name, gradient in zip(names, found, strict=True)},
        }

    def as_table(self) -> Table:
        """Each value, when y was computed and at the end, and its gradient."""
        return Table(f"{self.way}, held by {self.hold}", COLUMNS, self._rows(), digits=4)

    def _rows(self) -> list[tuple[Any, ...]]:
        scene = self.scene
        new = self.way == "update"
        lost = scene["loud"] and "error"
        rows: list[tuple[Any, ...]] = [("x0", self.x0, self.x0, self.x0, lost or scene["into_x0"])]
        rows.append(("x1", self.x1, scene["put"], self.later, lost or scene["into_x1"]))
        if new:
            rows.append(("s", "–", scene["given"], scene["given"], lost or scene["into_given"]))
        return [*rows, ("y", "–", scene["y"], scene["y"], lost or 1.0)]

    def static_figure(self) -> Any:
        """The two boxes with all that they held, and the gradients that come to them."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 1.6))
        axes = figure.subplots()
        axes.set(xlim=(0, 2), ylim=(0, 1))
        axes.axis("off")
        for k, (name, *held, gradient) in enumerate(self._rows()[:2]):
            shown = list(dict.fromkeys(f"{one:g}" for one in held))
            axes.text(k + 0.5, 0.55, "  ".join(shown), ha="center", va="center", bbox={"fill": False, "pad": 10})
            words = gradient if isinstance(gradient, str) else "None" if gradient is None else f"{gradient:g}"
            axes.text(k + 0.5, 0.95, f"{name}: gradient {words}", ha="center", va="top", color="#a84a00")
        return figure


COLUMNS = ("name", "at first", "when y is computed", "at the end", "dy/d(row)")


def square_with_residual(cell: VersionedNumber, hold: str) -> tuple[Callable[[Any], ak.Tensor], Callable[[], float]]:
    """A square that keeps its input in one of three ways, and what it finds there when it is asked."""
    kept, version = cell.number, cell.version

    def held() -> float:
        if hold == "version" and cell.version != version:
            raise OverwrittenError(
                f"x1 was written to after the square had read it: version {version} then, {cell.version} now"
            )
        return kept if hold == "copy" else cell.number

    @ak.custom_gradient
    def square(t: ak.Tensor) -> tuple[float, Callable[[Any], Any]]:
        number = float(unwrap(t))
        return number * number, lambda g: g * (2.0 * held())

    return square, held


def _number(gradient: Any) -> float | None:
    """A number without a sign on its zero; None stays None."""
    return None if gradient is None else float(gradient) + 0.0
