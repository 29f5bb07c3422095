"""Lesson 24 widget: a gradient estimated from values along random probes, beside the exact one."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["ProbeGradient"]

MOST = 16
STEP = 1e-3


class ProbeGradient(KernelWidget):
    """Estimate the gradient of a function of n numbers with k random probes, and see the error.

    Parameters
    ----------
    n : int, optional
        How many numbers the function takes, 2 to 16.
    k : int, optional
        How many probes are averaged, 1 to 64.
    seed : int, optional
        Which probes are drawn, 0 to 99.

    Notes
    -----
    The function is the sum of sin(x) + x²/4 at x from -1 to 1. The estimate sees its values only; the gradient is the
    tape's.
    """

    _front_end = "lesson24.js"

    n = Input(traitlets.Int(8, min=2, max=MOST))
    k = Input(traitlets.Int(4, min=1, max=64))
    seed = Input(traitlets.Int(0, min=0, max=99))

    gradient = Output()
    estimate = Output()
    calls = Output()
    relative_error = Output()
    expected = Output()

    def compute_outputs(self) -> dict[str, Any]:
        """The exact gradient, the estimate, and how far they are apart."""
        at = np.linspace(-1.0, 1.0, self.n)
        x = ak.Variable(at)
        with ak.GradientTape() as tape:
            y = wavy_bowl(x)
        gradient = tape.gradient(y, x).numpy()
        probes = np.random.default_rng(self.seed).choice([-1.0, 1.0], size=(self.k, self.n))
        values = [[float(wavy_bowl(ak.constant(at + way * STEP * e))) for way in (1, -1)] for e in probes]
        estimate = np.mean([(up - down) / (2 * STEP) * e for (up, down), e in zip(values, probes, strict=True)], axis=0)
        return {
            "gradient": gradient.tolist(),
            "estimate": estimate.tolist(),
            "calls": 2 * self.k,
            "relative_error": float(np.linalg.norm(estimate - gradient) / np.linalg.norm(gradient)),
            "expected": float(np.sqrt((self.n - 1) / self.k)),
        }

    def as_table(self) -> Table:
        """A row for each number: its slope, and the estimate of it."""
        rows = [(f"x{i}", *pair) for i, pair in enumerate(zip(self.gradient, self.estimate, strict=True))]
        caption = (
            f"{self.k} probes, {self.calls} calls; error {number(self.relative_error, 2)} of the gradient's length, "
            f"root mean square {number(self.expected, 2)}"
        )
        return Table(caption, ("number", "gradient", "estimate"), rows, digits=3)

    def static_figure(self) -> Any:
        """Two bars for each number, a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 2.4))
        axes = figure.subplots()
        places = np.arange(self.n)
        for shift, values, colour, label in (
            (-0.2, self.gradient, "#d55e00", "gradient"),
            (0.2, self.estimate, "#616161", "estimate"),
        ):
            axes.bar(places + shift, values, 0.38, color=colour, label=label)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_xticks(places, [f"x{i}" for i in places])
        axes.legend()
        return figure


def wavy_bowl(x: Any) -> Any:
    """A smooth function of n numbers."""
    return ak.sum(ak.sin(x) + x**2 / 4)
