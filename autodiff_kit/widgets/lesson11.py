"""Lesson 11 widget: segment readouts of five nodes in graphs, and the gradient of each node."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import traitlets

import autodiff_kit as ak
from autodiff_kit.lessons.tables import Table, number
from autodiff_kit.widgets.base import KernelWidget
from autodiff_kit.widgets.traits import Input, Output

__all__ = ["GraphReadout"]

NODES, MOST_GRAPHS = 5, 4
LEAST, MOST = -9.0, 9.0
READOUTS = ("sum", "mean", "naive", "max")


class GraphReadout(KernelWidget):
    """Put nodes into graphs, read a number out of each graph, and see the gradient of each node.

    Parameters
    ----------
    h : list of five floats, optional
        The nodes' values.
    ids : list of five ints, optional
        The graph of each node, 0 to 3.
    count : int, optional
        How many graphs there are, 1 to 4; one may be without nodes, and an id may name none of them.
    readout : {"sum", "mean", "naive", "max"}, optional
        ``naive`` divides the sum by the count, and an empty graph's 0 by 0.

    Notes
    -----
    The loss is v times the sum of all readouts, with v = 1: a factor that all graphs share.
    """

    _front_end = "lesson11.js"

    h: Any = Input(traitlets.List(traitlets.Float(), [1.0, 2.0, 3.0, 4.0, 5.0]))
    ids: Any = Input(traitlets.List(traitlets.Int(), [0, 0, 1, 1, 1]))
    count = Input(traitlets.Int(3, min=1, max=MOST_GRAPHS))
    readout = Input(traitlets.Enum(READOUTS, default_value="mean"))

    sums = Output()
    rows = Output()
    readouts = Output()
    into_h = Output()
    into_v = Output()
    refused = Output("")

    @traitlets.validate("h")
    def _five_numbers(self, proposal: Any) -> Any:
        h = proposal["value"]
        if len(h) != NODES or not all(math.isfinite(one) and LEAST <= one <= MOST for one in h):
            raise traitlets.TraitError(f"h holds {NODES} numbers from {LEAST:g} to {MOST:g}; got {h}")
        return h

    @traitlets.validate("ids")
    def _five_ids(self, proposal: Any) -> Any:
        ids = proposal["value"]
        if len(ids) != NODES or not all(0 <= one < MOST_GRAPHS for one in ids):
            raise traitlets.TraitError(f"ids holds {NODES} integers from 0 to {MOST_GRAPHS - 1}; got {ids}")
        return ids

    def compute_outputs(self) -> dict[str, Any]:
        """Readouts and gradients, or the error with which the kit refuses an id."""
        try:
            with np.errstate(all="ignore"):
                return self._read() | {"refused": ""}
        except ak.AutodiffError as error:
            nothing = dict.fromkeys(("sums", "rows", "readouts", "into_h", "into_v"))
            return nothing | {"refused": str(error)}

    def _read(self) -> dict[str, Any]:
        ids, h, v = np.array(self.ids), ak.Variable(np.array(self.h), name="h"), ak.Variable(1.0, name="v")
        with ak.GradientTape() as tape:
            given = "sum" if self.readout == "naive" else self.readout
            read = getattr(ak.segment, f"segment_{given}")(h, ids, self.count)
            sums = ak.segment.segment_sum(h, ids, self.count)
            rows = ak.segment.segment_sum(np.ones(NODES), ids, self.count)
            if self.readout == "naive":
                read = read / rows
            loss = ak.sum(v * read)
        into_h, into_v = tape.gradient(loss, [h, v])
        counts = [int(n) for n in rows.numpy()]
        found = {"sums": sums, "readouts": read, "into_h": into_h}
        return {name: _floats(one) for name, one in found.items()} | {"rows": counts, "into_v": float(into_v) + 0.0}

    def as_table(self) -> Table:
        """A row for each graph: its nodes, what it reads out, and the gradient of each of them."""
        if self.refused:
            return Table(f"refused: {self.refused}", ("node", "h", "graph"), self._nodes(), digits=4)
        columns = ("graph", "nodes", "sum", "readout", "gradient of each node")
        rows = []
        for k in range(self.count):
            back = [g for g, one in zip(self.into_h, self.ids, strict=True) if one == k]
            told = ", ".join(number(g, 4) for g in back) or "no node"
            rows.append((f"graph {k}", str(self.rows[k]), self.sums[k], self.readouts[k], told))
        return Table(f"{self.readout} of each graph; gradient of v: {number(self.into_v, 4)}", columns, rows, digits=4)

    def _nodes(self) -> list[tuple[Any, ...]]:
        return [(f"h{i}", one, str(k)) for i, (one, k) in enumerate(zip(self.h, self.ids, strict=True))]

    def static_figure(self) -> Any:
        """The readouts as bars, a still figure."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 2.2))
        axes = figure.subplots()
        read = self.readouts or [None] * self.count
        axes.bar(range(self.count), [r if r is not None and math.isfinite(r) else 0.0 for r in read], color="#222222")
        for k, r in enumerate(read):
            axes.annotate("refused" if r is None else number(r, 4), (k, 0), ha="center", va="bottom")
        axes.set_xticks(range(self.count), [f"graph {k}" for k in range(self.count)])
        axes.set_ylabel(self.readout)
        return figure


def _floats(tensor: Any) -> list[float]:
    """Plain numbers, none of them with a sign on its zero."""
    return [float(one) + 0.0 for one in tensor.numpy()]
