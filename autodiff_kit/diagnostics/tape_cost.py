"""Cost of a tape (``tape.cost()``): floating-point operations of its forward and reverse pass, counted from shapes.

Nothing runs again: a tape knows every operation with its inputs and their shapes, also after its arrays are released.
An operation inside a loop is on the tape once for each iteration, and is counted as often.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR, ArraySpec
from autodiff_kit.core.operation import Op
from autodiff_kit.core.record import Node
from autodiff_kit.core.source_location import UNKNOWN_LOCATION, SourceLocation, display_name, location_of
from autodiff_kit.core.tape import GradientTape, add_tape_method
from autodiff_kit.core.validation import check_choice, check_integer
from autodiff_kit.diagnostics.operation_cost import backward_rule_flops, cost_parameters, forward_flops
from autodiff_kit.diagnostics.table_format import Columns, format_count, html_table, text_table
from autodiff_kit.errors import DtypeError
from autodiff_kit.pytree import flatten

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
    check_choice("by", by, "line", "op", "node")
    top = check_integer("top", top, 0)
    totals: dict[Any, _CostRowTotal] = {}
    nodes = list(tape._record.nodes)
    read = {n for node in nodes for n in node.inputs}
    targets = (
        {node for node in nodes if node not in read} if target is None else set(map(tape._node_of, flatten(target)))
    )
    for key, place, op, counts in _node_costs(nodes, targets, by):
        totals.setdefault(key, _CostRowTotal(place)).add(op, counts)
    ranked = sorted(totals.values(), key=lambda total: -total.counts[0] - total.counts[1])
    others = _CostRowTotal(UNKNOWN_LOCATION)
    for total in ranked[top:]:
        others.add("", total.counts, total.nodes)
    rows, rest = tuple(total.row() for total in ranked[:top]), others.row()
    return TapeCost(sum(row.flops for row in (*rows, rest)), sum(row.flops_back for row in (*rows, rest)), rows, rest)


add_tape_method("cost", cost)


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


def _node_costs(
    nodes: list[Node], targets: set[Any], by: str
) -> Iterator[tuple[Any, SourceLocation, str, tuple[int, int, int]]]:
    """For each node the key of its row, its source line, its operation, and its counts as in :class:`_CostRowTotal`."""
    known = OperationCosts()
    costs = [known[cost_key(node)] for node in nodes]
    backward = backward_flops(nodes, targets, [back for _, back in costs])
    for k, (node, (forward, _), back) in enumerate(zip(nodes, costs, backward, strict=True)):
        place = UNKNOWN_LOCATION if by == "op" else location_of(node.code, node.lasti)
        key = {"line": place[:2], "op": node.op.name, "node": k}[by]
        like = node.spec or SCALAR
        yield key, place, node.op.name, (forward, back, _size(like) * like.dtype.itemsize)


def backward_flops(nodes: list[Node], targets: set[Any], rules: list[int]) -> list[int]:
    """Operations of the reverse pass for each node: those of its rules, and additions to cotangents of its inputs.

    Parameters
    ----------
    nodes : list of Node
        In execution order.
    targets : set of Node
        What is differentiated; nodes that no target depends on cost nothing.
    rules : list of int
        Operations of each node's rules alone.
    """
    counts = []
    reached = set(targets)
    for node, rule in zip(reversed(nodes), reversed(rules), strict=True):
        no_gradient = node.op.vjps is None and node.op.vjp_all is None
        if no_gradient or node not in reached:
            counts.append(0)
            continue
        count = rule
        for n in node.inputs:
            if n is not None:
                count += _size(n.spec or SCALAR) if n in reached else 0
                reached.add(n)
        counts.append(count)
    return counts[::-1]


CostKey = tuple[Op, tuple[ArraySpec, ...], tuple[int, ...], tuple[tuple[str, Any], ...]]


class OperationCosts(dict[CostKey, tuple[int, int]]):
    """A cache of forward and backward operations by :func:`cost_key`: equal operations are counted once."""

    def __missing__(self, key: CostKey) -> tuple[int, int]:
        op, likes, asked, params = key
        values = [
            np.broadcast_to(np.zeros((), like.dtype), like.shape) for like in likes
        ]  # of the right shape, without memory
        self[key] = (
            forward_flops(op, *values, **dict(params)),
            backward_rule_flops(op, *values, asked=asked, **dict(params)),
        )
        return self[key]


def cost_key(node: Node) -> CostKey:
    """The properties that determine the cost of a node: operation, shapes, differentiated inputs, parameters."""
    inputs = node.inputs
    saved = node.parts[len(inputs) + 1 :]
    likes = [_shape_and_dtype(x) if n is None else n.spec or SCALAR for n, x in zip(inputs, saved, strict=True)]
    asked = tuple(k for k, n in enumerate(inputs) if n is not None)
    return node.op, (node.spec or SCALAR, *likes), asked, tuple(cost_parameters(node.op, node.params).items())


def _shape_and_dtype(value: Any) -> ArraySpec:
    return SCALAR if type(value) in (float, int) else ArraySpec(value.shape, value.dtype)


def _size(like: ArraySpec) -> int:
    return math.prod(like.shape)
