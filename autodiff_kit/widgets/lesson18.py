"""Lesson 18 widget: cost of three layers forward and backward, line by line, for the gradients that are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.diagnostics.tape_cost import TapeCostRow
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output, ViewState

__all__ = ["BackwardCost"]

SIZES, MOST = 4, 32
NAMES = ("x", "W1", "W2", "W3")
PROGRAMS = ("products", "whole")


class BackwardCost(KernelWidget):
    """What three layers cost forward and backward, line by line, as ``tape.cost()`` counts it.

    Parameters
    ----------
    sizes : list of four int, optional
        Width of the input, of two hidden layers and of the output, 1 to 32.
    batch : int, optional
        Rows of the input, 1 to 50.
    wanted : list of four bool, optional
        Whether a gradient is asked for the input, and for the weights of each layer.
    program : {"products", "whole"}, optional
        Three products alone, or with biases, tanh and a loss; biases go with their weights.

    step : int, optional
        How many lines have run, first forward and then backward; a number past the last is the end.

    Notes
    -----
    Several tapes count: one that follows everything, for the forward figures, since what nobody follows is not
    recorded; one that follows what is asked for, for the backward figures; and one without each line's own weights,
    which says what of the line's backward figure is due to its input.
    """

    _front_end = "lesson18.js"

    sizes: Any = Input(traitlets.List(traitlets.Int(), [4, 8, 8, 2]))
    batch = Input(traitlets.Int(10, min=1, max=50))
    wanted: Any = Input(traitlets.List(traitlets.Bool(), [False, True, True, True]))
    program = Input(traitlets.Enum(PROGRAMS, default_value="products"))
    step = ViewState(traitlets.Int(2 * SIZES, min=0))

    lines = Output()
    forward = Output()
    backward = Output()
    ratio = Output()

    @traitlets.validate("sizes")
    def _four_sizes(self, proposal: Any) -> Any:
        sizes = proposal["value"]
        if len(sizes) != SIZES or not all(1 <= size <= MOST for size in sizes):
            raise traitlets.TraitError(f"sizes holds {SIZES} integers from 1 to {MOST}; got {sizes}")
        return sizes

    @traitlets.validate("wanted")
    def _four_switches(self, proposal: Any) -> Any:
        if len(proposal["value"]) != SIZES:
            raise traitlets.TraitError(f"wanted holds {SIZES} truth values, for {NAMES}; got {proposal['value']}")
        return proposal["value"]

    def compute_outputs(self) -> dict[str, Any]:
        """Each line's operations both ways, what it hands a gradient to, and the sums."""
        ahead, back = self._cost_by_line([True] * SIZES), self._cost_by_line(self.wanted)
        lines: list[dict[str, Any]] = []
        for k, number in enumerate(sorted(ahead)):
            row = back.get(number)
            lines.append(
                {
                    "code": ahead[number].code,
                    "forward": ahead[number].flops,
                    "backward": row.flops_back if row else 0,
                    "to": self._to(k),
                    "input": self._cost_of_input(k, number),
                }
            )
        for k, line in enumerate(lines):
            line["weights"] = line["backward"] - line["input"]
            line["forward_so_far"] = sum(one["forward"] for one in lines[: k + 1])
            line["backward_so_far"] = sum(one["backward"] for one in lines[k:])
        forward, backward = (sum(line[way] for line in lines) for way in ("forward", "backward"))
        return {"lines": lines, "forward": forward, "backward": backward, "ratio": backward / forward}

    def _cost_by_line(self, wanted: list[bool]) -> dict[int, TapeCostRow]:
        """Cost of each line, if these gradients are asked for."""
        x = ak.Variable(np.ones((self.batch, self.sizes[0])), trainable=wanted[0])
        pairs = list(zip(self.sizes[:-1], self.sizes[1:], wanted[1:], strict=True))
        weights = [ak.Variable(np.ones((m, n)), trainable=one) for m, n, one in pairs]
        biases = [ak.Variable(np.ones(n), trainable=one) for _, n, one in pairs]
        with ak.GradientTape() as tape:
            run = products if self.program == "products" else whole
            run(x, *weights, *biases)
        return {row.line: row for row in tape.cost(top=SIZES).rows}

    def _cost_of_input(self, k: int, number: int) -> int:
        """What line k costs backward if its own weights are not asked for: what it hands on to the lines before it."""
        wanted = [one and i != k + 1 for i, one in enumerate(self.wanted)]
        row = self._cost_by_line(wanted).get(number) if any(wanted[: k + 1]) or k == SIZES - 1 else None
        return row.flops_back if row else 0

    def _to(self, k: int) -> list[str]:
        """Which of the things that line k reads get a gradient."""
        if k == SIZES - 1:
            return ["y"] if any(self.wanted) else []
        left = ["x" if k == 0 else "h"] if any(self.wanted[: k + 1]) else []
        own = [f"W{k + 1}", f"b{k + 1}"] if self.program == "whole" else [f"W{k + 1}"]
        return left + (own if self.wanted[k + 1] else [])

    def as_table(self) -> Table:
        """Each line, and the sums."""
        rows = [(line["code"], line["forward"], line["backward"], joined(line["to"])) for line in self.lines]
        rows.append(("in all", self.forward, self.backward, f"{self.ratio:.3f} times"))
        sizes = "-".join(map(str, self.sizes))
        return Table(
            f"Layers {sizes}, batch {self.batch}", ("line", "forward", "backward", "gradient to"), rows, digits=0
        )

    def static_figure(self) -> Any:
        """The lines as blocks above each other: forward, and backward to inputs and to weights, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 2.6), layout="constrained")
        axes = figure.subplots()
        back = "#d55e00"
        rows = (("forward →", "forward", "#0072b2"), ("← to inputs", "input", back), ("↓ to weights", "weights", back))
        left = 0
        for line in self.lines:
            for place, (_, way, colour) in enumerate(rows):
                bar = axes.barh(place, line[way], 0.8, left, color=colour, edgecolor="white")
                axes.bar_label(bar, [f"{line[way]}" if line[way] else ""], label_type="center", fontsize="small")
            axes.text(left, -0.6, line["code"], fontsize="small")
            left += max(line[way] for _, way, _ in rows)
        axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
        axes.invert_yaxis()
        axes.set_xlabel(f"operations: {self.forward} forward, {self.backward} backward")
        return figure


def products(x: Any, W1: Any, W2: Any, W3: Any, *_: Any) -> Any:
    """Three products, a line each: the cost is counted for each of these lines."""
    h = x @ W1
    h = h @ W2
    y = h @ W3
    return h, y


def whole(x: Any, W1: Any, W2: Any, W3: Any, b1: Any, b2: Any, b3: Any) -> Any:
    """The same with biases, tanh and a loss."""
    h = ak.tanh(x @ W1 + b1)
    h = ak.tanh(h @ W2 + b2)
    y = h @ W3 + b3
    loss = ak.mean(y**2)
    return y, loss


def joined(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "nothing"
