"""Lesson 14 widget: painted gradients, the momentum part of each step, and where a weight comes to rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["MomentumSteps"]

COUNT = 24
RATE = 0.1
MOST = 0.95
STILL = 1e-10  # a step this short ends the run-out
NIL = 1e-8  # a rest nearer than this to 0 is 0: more than that is not left after such a step
PATIENCE = 600
Gradient = float | None

OPTIMIZERS: dict[str, Callable[[float], ak.optim.Optimizer]] = {
    "sgd": lambda b: ak.optim.SGD(RATE),
    "momentum": lambda b: ak.optim.SGD(RATE, momentum=b),
    "nesterov": lambda b: ak.optim.SGD(RATE, momentum=b, nesterov=True),
    "rmsprop": lambda b: ak.optim.RMSProp(RATE, decay=b),
    "adam": lambda b: ak.optim.Adam(RATE, beta1=b),
}
# The slot that is shown, and what it is called in the picture.
SHOWN = {"momentum": ("momentum", "u"), "nesterov": ("momentum", "u"), "rmsprop": ("rms", "s"), "adam": ("m", "m")}
START: list[Gradient] = [1.0, 1.0, 1.0, *[0.0] * (COUNT - 3)]


class OptimizedWeight:
    """A weight and its optimizer, with a copy of both that answers what a gradient of 0 would do."""

    def __init__(self, name: str, b: float) -> None:
        self.weight, self.optimizer = ak.Variable(0.0), OPTIMIZERS[name](b)
        self.copied_weight, self.copied_optimizer = ak.Variable(0.0), OPTIMIZERS[name](b)

    def step(self, g: Gradient) -> tuple[float | None, float | None]:
        """The step for a gradient, and what it would have been for 0; both None where there is none."""
        if g is None:
            return None, None
        self.copy_state()
        self.copied_optimizer.apply_gradients([(0.0, self.copied_weight)])
        with ak.GradientTape() as tape:
            loss = self.weight * g
        self.optimizer.apply_gradients([(tape.gradient(loss, self.weight), self.weight)])
        return _number(self.optimizer.last_update(self.weight)), _number(
            self.copied_optimizer.last_update(self.copied_weight)
        )

    def copy_state(self) -> None:
        """Copy weight and slots to the second pair."""
        self.copied_weight.assign(self.weight)
        for name in self.optimizer.slot_names():
            self.copied_optimizer.set_slot(self.copied_weight, name, self.optimizer.get_slot(self.weight, name))

    def roll(self) -> list[float]:
        """Positions of the weight under gradients of 0 from here on, until a step is negligible."""
        self.copy_state()
        path = [float(self.copied_weight)]
        while len(path) <= PATIENCE:
            self.copied_optimizer.apply_gradients([(0.0, self.copied_weight)])
            path.append(float(self.copied_weight))
            if abs(path[-1] - path[-2]) < STILL:
                break
        return path

    def slot(self, name: str) -> float | None:
        """One slot; None where the optimizer keeps none of that name."""
        names = self.optimizer.slot_names()
        return _number(self.optimizer.get_slot(self.weight, name)) if name in names else None


class MomentumSteps(KernelWidget):
    """Paint gradients, and see each step as what it carries of the steps before and what its own gradient adds.

    Parameters
    ----------
    optimizer : {"sgd", "momentum", "nesterov", "rmsprop", "adam"}, optional
    grads : list of 24, optional
        Each entry a number from -2 to 2, or None.
    b : float, optional
        The momentum coefficient, RMSProp's decay or Adam's beta1, 0 to 0.95.
    at : int, optional
        The step at the cursor, 0 to 23.

    Notes
    -----
    Every value is the kit's own optimizer (learning rate .1) stepping a variable against a gradient of a recorded tape.
    What a step carries over is what an optimizer with the same slots does with a gradient of 0.
    """

    _front_end = "lesson14.js"

    optimizer = Input(traitlets.Enum(tuple(OPTIMIZERS), default_value="momentum"))
    grads: Any = Input(traitlets.List(START))
    b = Input(traitlets.Float(0.9, min=0.0, max=MOST))
    at = Input(traitlets.Int(2, min=0, max=COUNT - 1))

    steps = Output()
    carried = Output()
    own = Output()
    slot = Output()
    w = Output()
    roll = Output()
    roll_at = Output()
    rest = Output()

    @traitlets.validate("grads")
    def _one_strip(self, proposal: Any) -> Any:
        grads = proposal["value"]
        if len(grads) != COUNT:
            raise traitlets.TraitError(f"grads are {COUNT} numbers or None; got {len(grads)}")
        for g in grads:
            if g is not None and not (isinstance(g, (int, float)) and math.isfinite(g) and abs(g) <= 2):
                raise traitlets.TraitError(f"a gradient is a number from -2 to 2, or None; got {g!r}")
        return [None if g is None else float(g) for g in grads]

    def compute_outputs(self) -> dict[str, Any]:
        """Every step and what it is made of, and the way that is left at the cursor."""
        ball, (name, _) = OptimizedWeight(self.optimizer, self.b), SHOWN.get(self.optimizer, ("", ""))
        steps, carried, slot, w, roll = [], [], [ball.slot(name)], [0.0], [0.0]
        for k, g in enumerate(self.grads):
            step, over = ball.step(g)
            steps.append(step)
            carried.append(over)
            slot.append(ball.slot(name))
            w.append(float(ball.weight) + 0.0)
            if k == self.at:
                roll = ball.roll()
        return {
            "steps": steps,
            "carried": carried,
            "own": [None if d is None or c is None else d - c for d, c in zip(steps, carried, strict=True)],
            "slot": None if slot[-1] is None else slot,
            "w": w,
            "roll": [*roll, *[roll[-1]] * COUNT][: COUNT - self.at],
            "roll_at": self.at,
            "rest": roll[-1] if abs(roll[-1]) > NIL else 0.0,
        }

    def as_table(self) -> Table:
        """Every step: its gradient, its two parts, and where it led."""
        names = ["step", "gradient", "carried over", "its own", "step taken", "w"]
        columns = [map(str, range(1, COUNT + 1)), self.grads, self.carried, self.own, self.steps, self.w[1:]]
        if self.slot is not None:
            names.append(f"slot {SHOWN[self.optimizer][1]}")
            columns.append(self.slot[1:])
        caption = f"{self.optimizer}, b = {self.b:g}: with zeros after step {self.at + 1}, w ends at {self.rest:.4f}"
        return Table(caption, tuple(names), list(zip(*columns, strict=True)), digits=4)

    def static_figure(self) -> Any:
        """The drops up to the cursor, and where zeros would lead, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 3.2))
        axes = figure.subplots()
        done = range(self.at + 1)
        over, own = ([part[k] or 0.0 for k in done] for part in (self.carried, self.own))
        start = self.w[: self.at + 1]
        x = [k + 1 for k in done]
        axes.bar(x, over, bottom=start, color="white", edgecolor="black", hatch="....")
        axes.bar(x, own, bottom=[w + c for w, c in zip(start, over, strict=True)], color="#d55e00", width=0.5)
        ahead = [b - a for a, b in pairwise(self.roll)]
        later = range(self.at + 2, COUNT + 1)
        axes.bar(later, ahead, bottom=self.roll[:-1], color="none", edgecolor="0.5", ls="--")
        axes.axhline(self.rest, color="0.4", ls="--")
        axes.set_ylabel("w")
        axes.set_xlabel("step")
        return figure


def _number(value: Any) -> float:
    """A plain number without a sign on its zero."""
    return float(value) + 0.0
