"""Lesson 08 widget: softmax cross-entropy of a few logits, its gradient, and its numerical stability."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["LogitBars"]

FEWEST, MOST_CLASSES = 2, 5
REACH, LEVEL = 4.0, 1000.0
WAYS = ("exact", "steps")


class LogitBars(KernelWidget):
    """The loss of a few logits and one label, with probabilities and gradient, class by class.

    Parameters
    ----------
    logits : list of two to five floats, optional
        From -4 to 4.
    label : int, optional
        The true class.
    level : float, optional
        Added to every logit, from -1000 to 1000.
    way : {"exact", "steps"}, optional
        By the kit's own function, or step by step as the formula reads: exp, a sum, a quotient, a logarithm.

    Notes
    -----
    Every number is from a recorded tape. What the kit itself would never give, such as infinity over infinity, comes
    from the steps, which are recorded as they stand.
    """

    _front_end = "lesson08.js"

    logits: Any = Input(traitlets.List(traitlets.Float(), [0.0, 1.0, 2.0]))
    label = Input(traitlets.Int(1, min=0, max=MOST_CLASSES - 1))
    level = Input(traitlets.Float(0.0, min=-LEVEL, max=LEVEL))
    way = Input(traitlets.Enum(WAYS, default_value="exact"))

    probabilities = Output()
    gradient = Output()
    loss = Output()
    sums = Output()

    @traitlets.validate("logits")
    def _a_few_numbers(self, proposal: Any) -> Any:
        z = proposal["value"]
        if not FEWEST <= len(z) <= MOST_CLASSES or not all(math.isfinite(one) and abs(one) <= REACH for one in z):
            raise traitlets.TraitError(f"logits are {FEWEST} to {MOST_CLASSES} numbers from -4 to 4; got {z}")
        return z

    def compute_outputs(self) -> dict[str, Any]:
        """Loss, probabilities and gradient in the way that was asked for; their sums, and those of the loss."""
        z = ak.Variable(np.array(self.logits) + self.level, name="logits")
        with np.errstate(all="ignore"), ak.GradientTape() as tape:
            if self.way == "exact":
                p = ak.nn.softmax(z)
                loss = ak.nn.sparse_softmax_cross_entropy(self.label, z)
                logsumexp = ak.logsumexp(z)
                steps = {}
            else:
                e = ak.exp(z)
                total = ak.sum(e)
                p = e / total
                loss = -ak.log(p[self.label])
                logsumexp = ak.log(total)
                steps = {"total": float(total)}
        with np.errstate(all="ignore"):
            slope = tape.gradient(loss, z).numpy()
        return {
            "probabilities": [_tidy(one) for one in p.numpy()],
            "gradient": [_tidy(one) for one in slope],
            "loss": _tidy(loss),
            "sums": {
                "probabilities": _tidy(p.numpy().sum()),
                "gradient": _tidy(slope.sum()),
                "logsumexp": _tidy(logsumexp),
                "told": self.logits[self.label] + self.level,
                **steps,
            },
        }

    def as_table(self) -> Table:
        """Each class: logit, probability, gradient; and their sums."""
        rows = [
            (f"class {i}", z + self.level, "yes" if i == self.label else "no", p, g)
            for i, (z, p, g) in enumerate(zip(self.logits, self.probabilities, self.gradient, strict=True))
        ]
        rows.append(("sum", "", "", self.sums["probabilities"], self.sums["gradient"]))
        columns = ("class", "logit", "true class", "probability", "gradient")
        return Table(f"The loss is {number(self.loss, 4)}, {WORDS[self.way]}", columns, rows, digits=4)

    def static_figure(self) -> Any:
        """Logits, probabilities and gradient as bars, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 2.2), layout="constrained")
        columns = (
            ("logits", self.logits, "0.3"),
            ("probabilities", self.probabilities, "0.3"),
            ("gradient", self.gradient, "#d55e00"),
        )
        for axes, (title, values, color) in zip(figure.subplots(1, 3), columns, strict=True):
            axes.bar(range(len(values)), [one if math.isfinite(one) else 0.0 for one in values], color=color)
            axes.set_title(title, loc="left", fontsize=9)
            axes.set_xticks(range(len(values)))
        return figure


WORDS = {"exact": "by the kit's own function", "steps": "step by step"}


def _tidy(value: Any) -> float:
    """A number to twelve digits after the point, so that a sum of 0 is 0; its zero has no sign."""
    return round(float(value), 12) + 0.0 if math.isfinite(float(value)) else float(value)
