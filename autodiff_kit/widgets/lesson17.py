"""Lesson 17 widget: per-example gradients clipped before or after their mean is taken."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["GradientClipping"]

COUNT = 3
LAST_STEP = 3
REACH = 5.0
LEAST, MOST = 0.25, 10.0
Array = np.ndarray[Any, Any]


class GradientClipping(KernelWidget):
    """Three examples, their gradients in the plane, each clipped before the mean is taken, or the mean clipped after.

    Parameters
    ----------
    X : list of three pairs, optional
        The examples' inputs x; the loss of each is (x·w - 1)², at w = (0, 0), so that its gradient is -2x.
    C : float, optional
        The length that a gradient is clipped to, 0.25 to 10.
    step : int, optional
        What is shown: 0 the gradients, 1 each clipped, 2 the mean of the clipped ones, 3 the clipped mean too.

    Notes
    -----
    Gradients are those of ``ak.per_example_gradients`` on the three examples, their mean that of a tape on the mean
    of the losses.
    """

    _front_end = "lesson17.js"

    X: Any = Input(traitlets.List(traitlets.List(traitlets.Float()), [[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]]))
    C = Input(traitlets.Float(1.0, min=LEAST, max=MOST))
    step = ViewState(traitlets.Int(LAST_STEP, min=0, max=LAST_STEP))

    rows = Output()
    mean = Output()
    clip_mean = Output()
    mean_clip = Output()
    turn = Output()

    @traitlets.validate("X")
    def _three_pairs(self, proposal: Any) -> Any:
        X = proposal["value"]
        fits = len(X) == COUNT and all(len(x) == 2 for x in X)
        if not fits or not all(math.isfinite(one) and abs(one) <= REACH for x in X for one in x):
            raise traitlets.TraitError(f"X holds {COUNT} pairs of numbers from {-REACH:g} to {REACH:g}; got {X}")
        return X

    def compute_outputs(self) -> dict[str, Any]:
        """Each example's gradient, its length and what clipping leaves; both means, and the angle between them."""
        X, w = np.array(self.X), ak.Variable([0.0, 0.0])

        def losses(x: Any) -> Any:
            return (x @ w - 1.0) ** 2

        G = ak.per_example_gradients(losses, w, X).numpy()
        with ak.GradientTape() as tape:
            loss = losses(X).mean()
        mean = tape.gradient(loss, w).numpy()
        clipped = np.array([self._clipped(g) for g in G])
        before, after = clipped.mean(axis=0), self._clipped(mean)
        return {
            "rows": [
                {"gradient": _pair(g), "length": _length(g), "factor": self._factor(g), "clipped": _pair(c)}
                for g, c in zip(G, clipped, strict=True)
            ],
            "mean": point_and_length(mean),
            "clip_mean": point_and_length(before),
            "mean_clip": point_and_length(after),
            "turn": _angle(before, after),
        }

    def _factor(self, g: Array) -> float:
        return min(1.0, self.C / max(_length(g), self.C))

    def _clipped(self, g: Array) -> Array:
        return g * self._factor(g)

    def as_table(self) -> Table:
        """Each example, and the two ways to the mean."""
        rows = [
            (f"example {name}", vector(row["gradient"]), row["length"], row["factor"], vector(row["clipped"]))
            for name, row in zip("abc", self.rows, strict=True)
        ]
        for name, found in (("mean", self.mean), ("clip, then mean", self.clip_mean)):
            rows.append((name, vector(found["at"]), found["length"], "", ""))
        rows.append(("mean, then clip", vector(self.mean_clip["at"]), self.mean_clip["length"], "", ""))
        return Table(f"Clipped to C = {self.C:g}", ("arrow", "gradient", "length", "times", "clipped"), rows, digits=4)

    def static_figure(self) -> Any:
        """The arrows and the circle, and the clipped gradients enlarged, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.4, 4.0), layout="constrained")
        left, right = figure.subplots(1, 2)
        for axes, column in ((left, "gradient"), (right, "clipped")):
            turn = np.linspace(0, 2 * math.pi, 100)
            axes.plot(self.C * np.cos(turn), self.C * np.sin(turn), color="0.4", lw=1)
            axes.fill(*zip(*(row[column] for row in self.rows), strict=True), color="#d55e00", alpha=0.12, lw=0)
            for name, row in zip("abc", self.rows, strict=True):
                axes.annotate("", row[column], (0, 0), arrowprops={"arrowstyle": "->", "color": "#d55e00"})
                axes.annotate(name, row[column])
        means = (
            ("clip, then mean", self.clip_mean, "black", "bottom"),
            ("mean, then clip", self.mean_clip, "none", "top"),
        )
        for words, found, fill, up in means:
            right.plot(*found["at"], "o", color="black", mfc=fill)
            right.annotate(words, found["at"], (6, 0), textcoords="offset points", va=up)
        far = max([self.C, *(abs(one) for row in self.rows for one in row["gradient"])])
        for axes, reach in ((left, 1.1 * far), (right, 1.4 * self.C)):
            axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        return figure


def vector(pair: Any) -> str:
    """Two numbers in brackets, four decimals."""
    return f"[{number(pair[0], 4)} {number(pair[1], 4)}]"


def _pair(g: Array) -> list[float]:
    """Two numbers without a sign on a zero."""
    return [float(one) + 0.0 for one in g]


def _length(g: Array) -> float:
    return float(np.linalg.norm(g))


def point_and_length(g: Array) -> dict[str, Any]:
    return {"at": _pair(g), "length": _length(g)}


def _angle(a: Array, b: Array) -> float | None:
    """Degrees between two arrows; None if one of them has no direction."""
    if _length(a) * _length(b) < 1e-12:
        return None
    return math.degrees(math.atan2(abs(float(a[0] * b[1] - a[1] * b[0])), float(a @ b)))
