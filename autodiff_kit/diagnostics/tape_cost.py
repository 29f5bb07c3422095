"""Cost of a tape (``tape.cost()``): floating-point operations of its forward and reverse pass, counted from shapes.

Nothing runs again: a tape knows every operation with its inputs and their shapes, also after its arrays are released.
An operation inside a loop is on the tape once for each iteration, and is counted as often.
"""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.source_location import UNKNOWN_LOCATION, SourceLocation, display_name
from autodiff_kit.core.tape import GradientTape, add_tape_method
from autodiff_kit.core.validation import check_choice, check_integer
from autodiff_kit.diagnostics.recorded_program import RecordedProgram
from autodiff_kit.diagnostics.table_format import Columns, format_count, html_table, text_table
from autodiff_kit.diagnostics.tape_program import TapeProgram
from autodiff_kit.errors import DtypeError

__all__ = ["TapeCost", "TapeCostRow", "cost"]

_NUMBERS = ("forward", "backward", "answers", "nodes")


@dataclass(frozen=True)
class TapeCostRow:
    """The cost of one source line, of all operations of one name, or of one node of a tape.

    Attributes
    ----------
    cell, line, code : str, int, str
        File or cell, line, and the text of the line if it can be found; empty if rows are grouped by operation.
    op : str
        Names of the operations, in the order of their first execution.
    nodes : int
        Number of operations executed.
    flops, flops_back : int
        Floating-point operations of the forward and of the reverse pass.
    bytes : int
        Of the outputs.
    """

    cell: str
    line: int
    code: str
    op: str
    nodes: int
    flops: int
    flops_back: int
    bytes: int

    @property
    def place(self) -> str:
        """Cell or file and line, in words; empty if the row is not about a single line."""
        return f"{display_name(self.cell)}, line {self.line}" if self.line else ""


@dataclass(frozen=True, repr=False)
class TapeCost:
    """The cost of a tape: prints as text, and as a table in a notebook.

    Attributes
    ----------
    forward, backward : int
        Floating-point operations of the whole tape.
    rows : tuple of TapeCostRow
        The most expensive rows, most expensive first.
    rest : TapeCostRow
        The sum of all other rows.
    """

    forward: int
    backward: int
    rows: tuple[TapeCostRow, ...]
    rest: TapeCostRow

    @property
    def nodes(self) -> int:
        """Number of operations executed."""
        return sum(row.nodes for row in self._all)

    @property
    def bytes(self) -> int:
        """Bytes of all outputs."""
        return sum(row.bytes for row in self._all)

    @property
    def _all(self) -> tuple[TapeCostRow, ...]:
        return (*self.rows, self.rest) if self.rest.nodes else self.rows

    def __str__(self) -> str:
        return "\n".join([self._summary, *text_table(self._columns, numbers=_NUMBERS)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._summary)}</p>{html_table(self._columns, numbers=_NUMBERS)}"

    @property
    def _summary(self) -> str:
        ratio = f" ({self.backward / self.forward:.3f} times as many)" if self.forward else ""
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes:,} nodes"
        return f"{self.forward:,} operations forward, {self.backward:,} backward{ratio}, on {nodes}"

    @property
    def _columns(self) -> Columns:
        """The columns as text."""
        rows = self._all
        return {
            "line": [row.place for row in rows],
            "operation": [row.op or "all others" for row in rows],
            "forward": [format_count(row.flops) for row in rows],
            "backward": [format_count(row.flops_back) for row in rows],
            "answers": [format_count(row.bytes, "B") for row in rows],
            "nodes": [format_count(row.nodes) for row in rows],
            "code": [row.code for row in rows],
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar chart with two bars for each row: forward and backward operations.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw into; a new figure by default.

        Returns
        -------
        matplotlib axes

        Examples
        --------
        >>> with ak.GradientTape() as tape:
        ...     y = ak.Variable(np.ones((2, 3))) @ ak.Variable(np.ones((3, 4)))
        >>> tape.cost().plot().get_xlabel()
        'floating-point operations'
        """
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(figsize=(7.5, 1.3 + 0.55 * len(self._all)), layout="constrained")
        places = np.arange(len(self._all))
        for shift, name, colour in ((-0.19, "forward", "#0072b2"), (0.19, "backward", "#d55e00")):
            counts = [row.flops if name == "forward" else row.flops_back for row in self._all]
            bars = ax.barh(places + shift, counts, 0.36, label=name, color=colour)
            ax.bar_label(bars, [format_count(n) for n in counts], padding=3, fontsize="small")
        ax.set_yticks(places, [row.place or row.op or "all others" for row in self._all])
        ax.invert_yaxis()
        ax.margins(x=0.12)
        ax.set_xlabel("floating-point operations")
        ax.xaxis.set_major_formatter(lambda n, _: format_count(n))
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0))
        return ax


# -------------------------------------------------------------------------------- counting
def cost(tape: GradientTape, by: str = "line", top: int = 5, target: Any = None) -> TapeCost:
    """Count the floating-point operations of a tape's forward pass and of its reverse pass.

    Parameters
    ----------
    tape : GradientTape
        Recording, closed, or released after its gradient; shapes and source lines stay.
    by : {"line", "op", "node"}, optional
        Whether a row of the result is a line of code, all operations of one name, or a single operation.
    top : int, optional
        Number of rows that are listed; the others are added up in ``rest``.
    target : Tensor, Variable, or pytree, optional
        What would be differentiated; by default every output that no other operation of the tape uses.

    Returns
    -------
    TapeCost

    Raises
    ------
    DtypeError
        If ``tape`` is not a tape.
    ArgumentError
        If ``top`` is not an integer.
    StructureError
        If ``by`` is not one of the options, or ``top`` is negative.

    Notes
    -----
    A product of ``(m, k)`` and ``(k, n)`` takes 2mkn operations forward, and 2mkn backward for each factor that is
    differentiated: 4mkn for two, 2mkn if the other one is data. An elementwise operation takes one operation for each
    entry (exp as many as +), and backward as many as are written in its rule; moving entries takes none. Additions are
    counted where a broadcast is summed and where a value was used more than once. Lookups, comparisons inside a rule
    and the seed of the reverse pass are not counted.

    The backward count is that of one gradient with respect to everything that the tape watches.

    Examples
    --------
    >>> x, W = np.ones((32, 5)), ak.Variable(np.ones((5, 7)))
    >>> with ak.GradientTape() as tape:
    ...     y = x @ W
    >>> tape.cost().forward, tape.cost().backward
    (2240, 2240)
    """
    if not isinstance(tape, GradientTape):
        raise DtypeError(f"cost takes a tape, got {type(tape).__name__}; or call tape.cost()")
    return cost_of(TapeProgram(tape), by, top, target)


add_tape_method("cost", cost)


def cost_of(program: RecordedProgram, by: str, top: int, target: Any) -> TapeCost:
    """The cost of a recorded program, with the arguments of :func:`cost`."""
    check_choice("by", by, "line", "op", "node")
    top = check_integer("top", top, 0)
    totals: dict[Any, _CostRowTotal] = {}
    for node, (forward, backward) in zip(program.nodes, program.flops(target), strict=True):
        place = UNKNOWN_LOCATION if by == "op" else SourceLocation(node.cell, node.line, node.code)
        key = {"line": place[:2], "op": node.op, "node": node.id}[by]
        counts = (forward, backward, math.prod(node.shape) * itemsize(node.dtype))
        totals.setdefault(key, _CostRowTotal(place)).add(node.op, counts)
    ranked = sorted(totals.values(), key=lambda total: -total.counts[0] - total.counts[1])
    others = _CostRowTotal(UNKNOWN_LOCATION)
    for total in ranked[top:]:
        others.add("", total.counts, total.nodes)
    rows, rest = tuple(total.row() for total in ranked[:top]), others.row()
    return TapeCost(sum(row.flops for row in (*rows, rest)), sum(row.flops_back for row in (*rows, rest)), rows, rest)


def itemsize(dtype: str) -> int:
    """Bytes of an entry; of a dtype that NumPy does not have, such as bfloat16, as many as its name says."""
    try:
        return np.dtype(dtype).itemsize
    except TypeError:
        bits = re.search(r"\d+", dtype)
        return max(int(bits[0]) // 8, 1) if bits else 1


class _CostRowTotal:
    """The sum over the nodes of one row; ``counts`` are forward and backward operations and bytes."""

    def __init__(self, place: SourceLocation) -> None:
        self.place = place
        self.ops: dict[str, None] = {}
        self.nodes = 0
        self.counts = (0, 0, 0)

    def add(self, op: str, counts: tuple[int, int, int], nodes: int = 1) -> None:
        self.ops.setdefault(op)
        self.nodes += nodes
        forward, backward, nbytes = self.counts
        self.counts = (forward + counts[0], backward + counts[1], nbytes + counts[2])

    def row(self) -> TapeCostRow:
        cell, line, _ = self.place
        return TapeCostRow(cell, line, self.place.text, ", ".join(self.ops), self.nodes, *self.counts)
