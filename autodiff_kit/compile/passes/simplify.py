"""Changes to a whole recording before units are made of it: sums with fewer terms.

A pass changes nodes where they stand, so that whoever uses one need not know. At the end all are numbered anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from autodiff_kit.compile.graph import Graph
from autodiff_kit.compile.node import Node
from autodiff_kit.compile.topological_order import in_order, live

__all__ = ["summed"]

FEW = 3
"""Products from which on their sum is one product."""


def summed(graph: Graph, outputs: list[Node]) -> list[Node]:
    """Sums with fewer terms; the nodes that outputs depend on then, in order."""
    state = Rewriting(graph, outputs)
    for n in state.nodes:
        if state.is_sum(n):
            state.join(n)
            state.stack(n)
    return state.done(outputs)


class Rewriting:
    """Passes over one graph, and who uses what in it."""

    def __init__(self, graph: Graph, outputs: list[Node]) -> None:
        self.graph, self.kept = graph, set(outputs)
        self.nodes = live(outputs)
        self.users: dict[Node, dict[Node, None]] = {n: {} for n in self.nodes}  # in order, each once
        for n in self.nodes:
            self._use(n)
        self.recorded = self.known = len(graph.nodes)

    def _use(self, node: Node) -> None:
        for a in node.args:
            self.users.setdefault(a, {})[node] = None

    def _leave(self, node: Node) -> None:
        """A node no longer reads what it read; what nobody reads is gone, and what only that has read."""
        todo = [node]
        while todo:
            gone = todo.pop()
            for a in gone.args:
                users = self.users[a]
                users.pop(gone, None)
                if not users and a not in self.kept:
                    todo.append(a)

    def become(self, node: Node, op: str, args: tuple[Node, ...], kw: object) -> None:
        """Make a node the result of something else."""
        before = Node(node.op, node.args, node.kw, node.shape, node.dtype)
        for new in self.graph.nodes[self.known :]:
            self._use(new)
        self.known = len(self.graph.nodes)
        node.op, node.args, node.kw = op, args, kw
        for a in before.args:
            self.users[a].pop(node, None)
            self.users[a][before] = None
        self._use(node)
        self._leave(before)

    def replace(self, node: Node, other: Node) -> None:
        """Make a node the same as another one, of which nobody else has to know if it is new."""
        if other.number < self.known:
            self.become(node, "reshape", (other,), node.shape)
        else:
            self.become(node, other.op, other.args, other.kw)

    def done(self, outputs: list[Node]) -> list[Node]:
        """Bring all nodes into an order in which they can run, new ones right before those that they are for."""
        if self.known > self.recorded:
            self.graph.reorder(_in_order(self.graph.nodes, self.recorded))
        return live(outputs)

    # ------------------------------------------------------------------------------------------------------------ sums
    def is_sum(self, n: Node) -> bool:
        """Whether a node is the last of the additions of one sum."""
        if n.op != "add" or n.dtype.kind != "f":
            return False
        user = next(iter(self.users[n]), None) if len(self.users[n]) == 1 and n not in self.kept else None
        return user is None or user.op != "add" or user.shape != n.shape

    def _terms(self, n: Node) -> Iterator[Node]:
        todo = list(n.args)
        while todo:
            m = todo.pop()
            inner = m.op == "add" and m.shape == n.shape and m.dtype == n.dtype
            if inner and len(self.users[m]) == 1 and m not in self.kept:
                todo.extend(m.args)
            else:
                yield m

    def _replace_terms(self, n: Node, gone: list[Node], new: list[Node]) -> None:
        """Make ``n`` the sum of its terms with new ones in the place of some."""
        away = set(gone)
        rest = [*new, *(m for m in self._terms(n) if m not in away)]
        total = rest[0]
        for m in rest[1:]:
            total = self.graph.entries("add", total, m)
        self.replace(n, total)

    def join(self, n: Node) -> None:
        """A sum of arrays that stand side by side in zeros is these arrays, one after the other."""
        pads: dict[int, list[Node]] = {}
        for m in self._terms(n):
            axis = _padded_axis(m)
            if axis is not None and m.dtype == n.dtype:
                pads.setdefault(axis, []).append(m)
        for axis, many in pads.items():
            many.sort(key=lambda m: m.kw[axis][0])
            runs = _runs(many, axis)
            if len(runs) < len(many) and n.op == "add":
                self._replace_terms(n, many, [self._joined(run, axis) for run in runs])

    def _joined(self, pads: list[Node], axis: int) -> Node:
        first = pads[0]
        if len(pads) == 1:
            return first
        spans = list(first.kw)
        spans[axis] = (first.kw[axis][0], pads[-1].kw[axis][1], 1)
        return self.graph.pad(self.graph.concat(tuple(m.args[0] for m in pads), axis), tuple(spans), first.shape)

    def stack(self, n: Node) -> None:
        """``aᵀ b + cᵀ d + …``, as a weight gets it from every step in time, is one product of all rows below each
        other.
        """
        products = [m for m in self._terms(n) if self._is_product(m, n)] if n.op == "add" else []
        if len(products) < FEW:
            return
        products.sort(key=lambda m: -m.args[1].number)  # the backward pass goes back in time
        graph = self.graph
        rows = graph.concat(tuple(m.args[0].args[0] for m in products), 0)
        others = graph.concat(tuple(m.args[1] for m in products), 0)
        self._replace_terms(n, products, [graph.matmul(graph.permute(rows, (1, 0)), others)])

    def _is_product(self, m: Node, like: Node) -> bool:
        """Whether a term is a product of which stacking copies less than what need not be added."""
        if m.op != "matmul" or m.ndim != 2 or len(self.users[m]) > 1 or m in self.kept:
            return False
        a, b = m.args
        if a.op != "permute" or a.ndim != 2 or a.dtype != like.dtype or b.dtype != like.dtype:
            return False
        return b.shape[0] * sum(m.shape) <= 2 * m.size


def _padded_axis(m: Node) -> int | None:
    """The axis along which a node is something among zeros, if there is but one."""
    if m.op != "pad":
        return None
    cut = [k for k, (span, length) in enumerate(zip(m.kw, m.shape, strict=True)) if span != (0, length, 1)]
    return cut[0] if len(cut) == 1 and m.kw[cut[0]][2] == 1 else None


def _runs(pads: list[Node], axis: int) -> list[list[Node]]:
    """Those that follow each other without a gap."""
    runs: list[list[Node]] = []
    for m in pads:
        if runs and runs[-1][-1].kw[axis][1] == m.kw[axis][0]:
            runs[-1].append(m)
        else:
            runs.append([m])
    return runs


def _in_order(nodes: list[Node], recorded: int) -> list[Node]:
    """Nodes after what they read, and apart from that as they were recorded; new ones right before their first user."""
    rank = {n: (n.number, 1) for n in nodes[:recorded]}
    for n in nodes[:recorded]:
        todo = [n]
        while todo:
            for a in todo.pop().args:
                if a not in rank:
                    rank[a] = (n.number, 0)
                    todo.append(a)
    for n in nodes:
        rank.setdefault(n, (n.number, 0))  # that nobody reads any more
    return in_order(nodes, lambda n: n.args, rank.__getitem__)
