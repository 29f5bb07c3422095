"""Lesson 18 widget: cost of three layers forward and backward, line by line, for the gradients that are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.diagnostics.tape_cost import TapeCostRow
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

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

    Notes
    -----
    Two tapes count: one that follows everything, for the forward figures, since what nobody follows is not recorded;
    and one that follows what is asked for, for the backward figures.
    """

    _front_end = "lesson18.js"

    sizes: Any = Input(traitlets.List(traitlets.Int(), [4, 8, 8, 2]))
    batch = Input(traitlets.Int(10, min=1, max=50))
    wanted: Any = Input(traitlets.List(traitlets.Bool(), [False, True, True, True]))
    program = Input(traitlets.Enum(PROGRAMS, default_value="products"))

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
                }
            )
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
        """Two bars a line, as a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 0.6 + 0.6 * len(self.lines)))
        axes = figure.subplots()
        places = np.arange(len(self.lines))
        for shift, way, colour in ((-0.2, "forward", "#0072b2"), (0.2, "backward", "#d55e00")):
            bars = axes.barh(places + shift, [line[way] for line in self.lines], 0.38, color=colour)
            axes.bar_label(bars, [f"{way} {line[way]}" for line in self.lines], padding=3, fontsize="small")
        axes.set_yticks(places, [line["code"] for line in self.lines])
        axes.invert_yaxis()
        axes.margins(x=0.3)
        axes.set_xlabel("operations")
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
