"""What the two passes of a tape cost, counted from the shapes on its record.

Nothing is run again: the record knows every operation, its inputs and their shapes, also after its arrays are gone.
What ran in a loop stands on the record as often as it ran, and is counted as often.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.backward import SCALAR
from autodiff_kit.core.operation import Op
from autodiff_kit.core.pytree import flatten
from autodiff_kit.core.record import Like, Node
from autodiff_kit.core.source_location import NOWHERE, Place, place_of, title_of
from autodiff_kit.core.tape import GradientTape, tape_method
from autodiff_kit.core.validation import whole, word
from autodiff_kit.diagnostics.tape_table import html_table, short, text_lines
from autodiff_kit.errors import DtypeError

__all__ = ["Cost", "CostRow", "cost"]


_NUMBERS = ("forward", "backward", "answers", "nodes")


@dataclass(frozen=True)
class CostRow:
    """What one line, one operation, or one node of a tape costs.

    Attributes
    ----------
    cell, line, code : str, int, str
        File or cell, line, and the line's text where it can be found; empty where rows are kinds of operations.
    op : str
        Names of the operations, in the order of their first run.
    nodes : int
        How many operations ran.
    flops, flops_back : int
        Floating-point operations, forward and backward.
    bytes : int
        Of the answers.
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
        """The line as a reader names it; empty where the row is about no single line."""
        return f"{title_of(self.cell)}, line {self.line}" if self.line else ""


@dataclass(frozen=True, repr=False)
class Cost:
    """What a tape costs: prints as text, in a notebook as a table.

    Attributes
    ----------
    forward, backward : int
        Floating-point operations of the whole tape.
    rows : tuple of CostRow
        The dearest, dearest first.
    rest : CostRow
        All others together.
    """

    forward: int
    backward: int
    rows: tuple[CostRow, ...]
    rest: CostRow

    @property
    def nodes(self) -> int:
        """How many operations ran."""
        return sum(row.nodes for row in self._all)

    @property
    def bytes(self) -> int:
        """Bytes of all answers."""
        return sum(row.bytes for row in self._all)

    @property
    def _all(self) -> tuple[CostRow, ...]:
        return (*self.rows, self.rest) if self.rest.nodes else self.rows

    def __str__(self) -> str:
        return "\n".join([self._summary, *text_lines(self._grid, numbers=_NUMBERS)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._summary)}</p>{html_table(self._grid, numbers=_NUMBERS)}"

    @property
    def _summary(self) -> str:
        ratio = f" ({self.backward / self.forward:.3f} times as many)" if self.forward else ""
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes:,} nodes"
        return f"{self.forward:,} operations forward, {self.backward:,} backward{ratio}, on {nodes}"

    @property
    def _grid(self) -> dict[str, list[str]]:
        """Columns by their heads."""
        rows = self._all
        return {
            "line": [row.place for row in rows],
            "operation": [row.op or "all others" for row in rows],
            "forward": [short(row.flops) for row in rows],
            "backward": [short(row.flops_back) for row in rows],
            "answers": [short(row.bytes, "B") for row in rows],
            "nodes": [short(row.nodes) for row in rows],
            "code": [row.code for row in rows],
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw two bars for each row, forward and backward.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

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
            ax.bar_label(bars, [short(n) for n in counts], padding=3, fontsize="small")
        ax.set_yticks(places, [row.place or row.op or "all others" for row in self._all])
        ax.invert_yaxis()
        ax.margins(x=0.12)
        ax.set_xlabel("floating-point operations")
        ax.xaxis.set_major_formatter(lambda n, _: short(n))
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0))
        return ax


# -------------------------------------------------------------------------------- counting
def cost(tape: GradientTape, by: str = "line", top: int = 5, target: Any = None) -> Cost:
    """Count what the forward pass of a tape took and what a gradient of it takes.

    Parameters
    ----------
    tape : GradientTape
        Recording, closed, or released after its gradient: shapes and places stay.
    by : {"line", "op", "node"}, optional
        Whether a row stands for a line of code, for all operations of one name, or for a single one.
    top : int, optional
        How many rows are listed; the others are added up in ``rest``.
    target : Tensor, Variable, or nest, optional
        What the gradient would be asked of; by default everything that no other operation of the tape reads.

    Returns
    -------
    Cost

    Raises
    ------
    DtypeError
        If ``tape`` is no tape, or ``top`` no whole number.
    StructureError
        If ``by`` is none of the words above, or ``top`` is negative.

    Notes
    -----
    A product of ``(m, k)`` and ``(k, n)`` takes 2mkn operations forward and 2mkn backward for each factor that is
    followed: 4mkn for two, 2mkn where the other is data. What acts entry by entry takes one operation for each entry,
    exp as much as +, and backward as many as its rule has; moving entries takes none. Adding up is counted: over what
    was broadcast, and where a value was read more than once. Comparing, looking up and the loss's own seed are not.

    The backward count is that of one gradient with respect to everything that the tape follows.

    Examples
    --------
    >>> x, W = np.ones((32, 5)), ak.Variable(np.ones((5, 7)))
    >>> with ak.GradientTape() as tape:
    ...     y = x @ W
    >>> tape.cost().forward, tape.cost().backward
    (2240, 2240)
    """
    if not isinstance(tape, GradientTape):
        raise DtypeError(f"cost takes a tape, not {type(tape).__name__}; or ask the tape itself: tape.cost()")
    top = _checked(by, top)
    heaps: dict[Any, _Heap] = {}
    nodes = list(tape._record.nodes)
    read = {n for node in nodes for n in node.inputs}
    tips = {node for node in nodes if node not in read} if target is None else set(map(tape._node_of, flatten(target)))
    for key, place, op, figures in _counted(nodes, tips, by):
        heaps.setdefault(key, _Heap(place)).add(op, figures)
    dearest = sorted(heaps.values(), key=lambda heap: -heap.figures[0] - heap.figures[1])
    others = _Heap(NOWHERE)
    for heap in dearest[top:]:
        others.add("", heap.figures, heap.nodes)
    rows, rest = tuple(heap.row() for heap in dearest[:top]), others.row()
    return Cost(sum(row.flops for row in (*rows, rest)), sum(row.flops_back for row in (*rows, rest)), rows, rest)


tape_method("cost", cost)


def _checked(by: str, top: Any) -> int:
    word("by", by, "line", "op", "node")
    return whole("top", top, 0)


class _Heap:
    """Nodes that make one row, added up."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.ops: dict[str, None] = {}
        self.nodes = 0
        self.figures = (0, 0, 0)

    def add(self, op: str, figures: tuple[int, int, int], nodes: int = 1) -> None:
        self.ops.setdefault(op)
        self.nodes += nodes
        a, b, c = self.figures
        self.figures = (a + figures[0], b + figures[1], c + figures[2])

    def row(self) -> CostRow:
        cell, line, _ = self.place
        return CostRow(cell, line, self.place.text, ", ".join(self.ops), self.nodes, *self.figures)


def _counted(nodes: list[Node], tips: set[Any], by: str) -> Iterator[tuple[Any, Place, str, tuple[int, int, int]]]:
    """For each node what it belongs to, its place, its operation, and its three figures."""
    prices = _Prices()
    costs = [prices[_case(node)] for node in nodes]
    backward = _backward(nodes, tips, [back for _, back in costs])
    for k, (node, (ahead, _), back) in enumerate(zip(nodes, costs, backward, strict=True)):
        place = NOWHERE if by == "op" else place_of(node.code, node.lasti)
        key = {"line": place[:2], "op": node.op.name, "node": k}[by]
        like = node.like or SCALAR
        yield key, place, node.op.name, (ahead, back, _entries(like) * like.dtype.itemsize)


def _backward(nodes: list[Node], tips: set[Any], rules: list[int]) -> list[int]:
    """Operations of the way back for each node: its rules, and adding to what its inputs have got already."""
    counts = []
    reached = set(tips)
    for node, rule in zip(reversed(nodes), reversed(rules), strict=True):
        ends = node.op.vjps is None and node.op.vjp_all is None
        if ends or node not in reached:
            counts.append(0)
            continue
        count = rule
        for n in node.inputs:
            if n is not None:
                count += _entries(n.like or SCALAR) if n in reached else 0
                reached.add(n)
        counts.append(count)
    return counts[::-1]


Case = tuple[Op, tuple[Like, ...], tuple[int, ...], tuple[tuple[str, Any], ...]]


class _Prices(dict[Case, tuple[int, int]]):
    """Operations forward and backward; the same operation on the same shapes is counted once."""

    def __missing__(self, case: Case) -> tuple[int, int]:
        op, likes, asked, params = case
        values = [np.broadcast_to(np.zeros((), like.dtype), like.shape) for like in likes]  # shapes that weigh nothing
        self[case] = op.cost(*values, **dict(params)), op.pull_cost(*values, asked=asked, **dict(params))
        return self[case]


def _case(node: Node) -> Case:
    """The operation, shapes of answer and inputs (constants: from what is saved), who wants a gradient, parameters."""
    inputs = node.inputs
    saved = node.parts[len(inputs) + 1 :]
    likes = [_like(x) if n is None else n.like or SCALAR for n, x in zip(inputs, saved, strict=True)]
    asked = tuple(k for k, n in enumerate(inputs) if n is not None)
    return node.op, (node.like or SCALAR, *likes), asked, tuple(node.op.told(node.params).items())


def _like(value: Any) -> Like:
    return SCALAR if type(value) in (float, int) else Like(value.shape, value.dtype)


def _entries(like: Like) -> int:
    return math.prod(like.shape)
