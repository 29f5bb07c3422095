"""Lesson 22 widget: rounds of message passing on a small graph, and the gradient for the start values."""

from __future__ import annotations

from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["MessageRounds"]

MOST_ROUNDS = 6
GRAPHS = {
    "tail": ((0, 1), (0, 2), (1, 2), (2, 3)),
    "ring": ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)),
    "triangles": ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)),
}
TITLES = {"tail": "triangle with a tail", "ring": "ring", "triangles": "two triangles"}
STARTS = ("first", "ones")


class MessageRounds(KernelWidget):
    """Rounds of message passing on a small graph, and the gradient of the sum of all values.

    Parameters
    ----------
    graph : {"tail", "ring", "triangles"}, optional
        A triangle with one more node, a ring of six nodes, or two triangles.
    start : {"first", "ones"}, optional
        The value 1 at node 0 alone, or at every node.
    rounds : int, optional
        How often each value is replaced by the sum of its neighbours' values, 0 to 6.
    """

    _front_end = "lesson22.js"

    graph = Input(traitlets.Enum(tuple(GRAPHS), default_value="tail"))
    start = Input(traitlets.Enum(STARTS, default_value="first"))
    rounds = Input(traitlets.Int(1, min=0, max=MOST_ROUNDS))

    edges = Output()
    values = Output()
    total = Output()
    gradient = Output()

    def compute_outputs(self) -> dict[str, Any]:
        """Values after the rounds, their sum, and its gradient with respect to the start values."""
        edges = GRAPHS[self.graph]
        nodes = 1 + max(max(edge) for edge in edges)
        rows, columns = np.array([*edges, *((j, i) for i, j in edges)]).T
        first = ak.Variable(np.ones(nodes) if self.start == "ones" else np.eye(nodes)[0])
        with ak.GradientTape() as tape:
            values = first + 0.0
            for _ in range(self.rounds):
                values = ak.segment.sparse_matmul((rows, columns, (nodes, nodes)), values)
            total = ak.sum(values)
        gradient = tape.gradient(total, first)
        return {
            "edges": [list(edge) for edge in edges],
            "values": values.numpy().tolist(),
            "total": float(total),
            "gradient": gradient.numpy().tolist(),
        }

    def as_table(self) -> Table:
        """A row for each node: its neighbours, its value and its gradient."""
        rows = []
        for node, (value, slope) in enumerate(zip(self.values, self.gradient, strict=True)):
            near = sorted({other for edge in self.edges if node in edge for other in edge} - {node})
            rows.append((f"node {node}", " ".join(map(str, near)), value, slope))
        rows.append(("all nodes", "", self.total, None))
        caption = f"{TITLES[self.graph]} after {self.rounds} round{'' if self.rounds == 1 else 's'}"
        return Table(caption, ("node", "neighbours", "value", "gradient of the sum"), rows, digits=0)

    def static_figure(self) -> Any:
        """The values as bars, a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 2.2))
        axes = figure.subplots()
        nodes = range(len(self.values))
        axes.bar_label(axes.bar(nodes, self.values, color="#0072b2"), fmt="%g")
        axes.set_xticks(list(nodes), [f"node {node}" for node in nodes])
        axes.set_ylabel(f"after round {self.rounds}")
        axes.margins(y=0.2)
        return figure
