"""Lesson 23 widget: how long Adam's steps are, relative to the learning rate, for several sequences of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["StepSizes"]

COUNT = 60
LATE = 50  # zeros before the only gradient of "late"
BETAS1 = ("0.5", "0.9", "0.99")
BETAS2 = ("0.9", "0.99", "0.999")


def _sequences() -> dict[str, np.ndarray]:
    steps = np.arange(COUNT)
    return {
        "equal": np.ones(COUNT),
        "alternating": (-1.0) ** steps,
        "random": np.random.default_rng(0).normal(size=COUNT),
        "growing": 1.2**steps,
        "late": (steps == LATE).astype(float),
    }


SEQUENCES = _sequences()


class StepSizes(KernelWidget):
    """The size of each of Adam's steps, divided by the learning rate, beside that of SGD.

    Parameters
    ----------
    sequence : {"equal", "alternating", "random", "growing", "late"}, optional
        The gradients of one weight over 60 steps: all 1; 1 and -1 in turn; standard normal numbers; each 1.2 times the
        one before; 50 zeros, a 1, and zeros again.
    scale : float, optional
        What the loss, and so each gradient, is multiplied by; 0.001 to 1000.
    beta1 : {"0.5", "0.9", "0.99"}, optional
    beta2 : {"0.9", "0.99", "0.999"}, optional
        Adam's decay rates.

    Notes
    -----
    Every size is the kit's own optimizer stepping a variable against a gradient of a recorded tape.
    """

    _front_end = "lesson23.js"

    sequence = Input(traitlets.Enum(tuple(SEQUENCES), default_value="alternating"))
    scale = Input(traitlets.Float(1.0, min=1e-3, max=1e3))
    beta1 = Input(traitlets.Enum(BETAS1, default_value="0.9"))
    beta2 = Input(traitlets.Enum(BETAS2, default_value="0.999"))

    adam = Output()
    sgd = Output()

    def compute_outputs(self) -> dict[str, Any]:
        """|step| / learning rate of both optimizers."""
        beta1, beta2 = float(self.beta1), float(self.beta2)
        return {
            "adam": self._sizes(ak.optim.Adam(1.0, beta1=beta1, beta2=beta2)),
            "sgd": self._sizes(ak.optim.SGD(1.0)),
        }

    def _sizes(self, optimizer: ak.optim.Optimizer) -> list[float]:
        """With the learning rate 1, the size of a step is its ratio to the learning rate."""
        weight, sizes = ak.Variable(0.0), []
        for g in SEQUENCES[self.sequence]:
            with ak.GradientTape() as tape:
                loss = weight * (float(g) * self.scale)
            optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
            sizes.append(abs(float(optimizer.last_update(weight))))
        return sizes

    def as_table(self) -> Table:
        """Some of the steps."""
        gradients = SEQUENCES[self.sequence] * self.scale
        rows = [(str(k + 1), float(gradients[k]), self.adam[k], self.sgd[k]) for k in (0, 1, 2, 9, 19, 49, 50, 51, 59)]
        caption = f"Size of a step, divided by the learning rate: {self.sequence} gradients, loss times {self.scale:g}"
        return Table(caption, ("step", "gradient", "Adam", "SGD"), rows, digits=4)

    def static_figure(self) -> Any:
        """Adam's sizes over the steps, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 2.6))
        axes = figure.subplots()
        axes.plot(range(1, COUNT + 1), self.adam, color="black", marker=".")
        axes.axhline(1.0, color="0.6", linestyle="--")
        axes.set_xlabel("step")
        axes.set_ylabel("|step| / learning rate")
        return figure
