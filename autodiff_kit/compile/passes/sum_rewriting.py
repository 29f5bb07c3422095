"""Graph rewriting: sums with fewer terms.

Adjacent zero-padded arrays are concatenated, and sums of products of transposed matrices become one product of stacked
matrices. Nodes are changed in place, so that their users stay valid; all nodes are renumbered at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from autodiff_kit.compile.graph import ComputationGraph
from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.topological_order import live_nodes, topological_sort

__all__ = ["simplify_sums"]

MIN_STACKED_PRODUCTS = 3
"""Smallest number of products that are stacked."""


def simplify_sums(graph: ComputationGraph, outputs: list[GraphNode]) -> list[GraphNode]:
    """Rewrite the sums of a graph; returns the live nodes in topological order."""
    state = SumRewriter(graph, outputs)
    for n in state.nodes:
        if state.is_sum(n):
            state.merge_adjacent_pads(n)
            state.stack_products(n)
    return state.finish(outputs)


class SumRewriter:
    """The rewriting of one graph, with the users of each node."""

    def __init__(self, graph: ComputationGraph, outputs: list[GraphNode]) -> None:
        self.graph, self.outputs = graph, set(outputs)
        self.nodes = live_nodes(outputs)
        self.users: dict[GraphNode, dict[GraphNode, None]] = {n: {} for n in self.nodes}  # dicts as ordered sets
        for n in self.nodes:
            self._add_uses(n)
        self.original_count = self.indexed_count = len(graph.nodes)

    def _add_uses(self, node: GraphNode) -> None:
        for a in node.args:
            self.users.setdefault(a, {})[node] = None

    def _drop_uses(self, node: GraphNode) -> None:
        """Remove a node from the users of its operands, and so on for operands that are no longer used."""
        todo = [node]
        while todo:
            gone = todo.pop()
            for a in gone.args:
                users = self.users[a]
                users.pop(gone, None)
                if not users and a not in self.outputs:
                    todo.append(a)

    def rewrite_as(self, node: GraphNode, op: str, args: tuple[GraphNode, ...], params: object) -> None:
        """Turn a node into another operation."""
        before = GraphNode(node.op, node.args, node.params, node.shape, node.dtype)
        for new in self.graph.nodes[self.indexed_count :]:
            self._add_uses(new)
        self.indexed_count = len(self.graph.nodes)
        node.op, node.args, node.params = op, args, params
        for a in before.args:
            self.users[a].pop(node, None)
            self.users[a][before] = None
        self._add_uses(node)
        self._drop_uses(before)

    def replace(self, node: GraphNode, other: GraphNode) -> None:
        """Turn a node into an alias of another one, or into its copy if that one is new."""
        if other.number < self.indexed_count:
            self.rewrite_as(node, "reshape", (other,), node.shape)
        else:
            self.rewrite_as(node, other.op, other.args, other.params)

    def finish(self, outputs: list[GraphNode]) -> list[GraphNode]:
        """Renumber all nodes in topological order, new ones right before their first user."""
        if self.indexed_count > self.original_count:
            self.graph.reorder(_renumbered(self.graph.nodes, self.original_count))
        return live_nodes(outputs)

    # ------------------------------------------------------------------------------------------------------------ sums
    def is_sum(self, n: GraphNode) -> bool:
        """Whether a node is the last addition of a sum."""
        if n.op != "add" or n.dtype.kind != "f":
            return False
        user = next(iter(self.users[n]), None) if len(self.users[n]) == 1 and n not in self.outputs else None
        return user is None or user.op != "add" or user.shape != n.shape

    def _terms(self, n: GraphNode) -> Iterator[GraphNode]:
        """The terms of a sum, through nested additions that have no other user."""
        todo = list(n.args)
        while todo:
            m = todo.pop()
            inner = m.op == "add" and m.shape == n.shape and m.dtype == n.dtype
            if inner and len(self.users[m]) == 1 and m not in self.outputs:
                todo.extend(m.args)
            else:
                yield m

    def _replace_terms(self, n: GraphNode, gone: list[GraphNode], new: list[GraphNode]) -> None:
        """Rebuild the sum ``n`` with some of its terms replaced."""
        away = set(gone)
        rest = [*new, *(m for m in self._terms(n) if m not in away)]
        total = rest[0]
        for m in rest[1:]:
            total = self.graph.elementwise("add", total, m)
        self.replace(n, total)

    def merge_adjacent_pads(self, n: GraphNode) -> None:
        """Replace a sum of zero-padded arrays that are adjacent by their padded concatenation."""
        pads: dict[int, list[GraphNode]] = {}
        for m in self._terms(n):
            axis = _padded_axis(m)
            if axis is not None and m.dtype == n.dtype:
                pads.setdefault(axis, []).append(m)
        for axis, many in pads.items():
            many.sort(key=lambda m: m.params[axis][0])
            runs = _adjacent_runs(many, axis)
            if len(runs) < len(many) and n.op == "add":
                self._replace_terms(n, many, [self._concatenated(run, axis) for run in runs])

    def _concatenated(self, pads: list[GraphNode], axis: int) -> GraphNode:
        first = pads[0]
        if len(pads) == 1:
            return first
        spans = list(first.params)
        spans[axis] = (first.params[axis][0], pads[-1].params[axis][1], 1)
        return self.graph.pad(self.graph.concat(tuple(m.args[0] for m in pads), axis), tuple(spans), first.shape)

    def stack_products(self, n: GraphNode) -> None:
        """Replace ``aᵀ b + cᵀ d + …`` by one product of the stacked matrices.

        The gradient of a weight that is used at every time step of a recurrent network has this form.
        """
        products = [m for m in self._terms(n) if self._is_stackable(m, n)] if n.op == "add" else []
        if len(products) < MIN_STACKED_PRODUCTS:
            return
        products.sort(key=lambda m: -m.args[1].number)  # the backward pass goes back in time
        graph = self.graph
        rows = graph.concat(tuple(m.args[0].args[0] for m in products), 0)
        others = graph.concat(tuple(m.args[1] for m in products), 0)
        self._replace_terms(n, products, [graph.matmul(graph.permute(rows, (1, 0)), others)])

    def _is_stackable(self, m: GraphNode, like: GraphNode) -> bool:
        """Whether a term is a product whose operands are cheaper to copy than its result is to add."""
        if m.op != "matmul" or m.ndim != 2 or len(self.users[m]) > 1 or m in self.outputs:
            return False
        a, b = m.args
        if a.op != "permute" or a.ndim != 2 or a.dtype != like.dtype or b.dtype != like.dtype:
            return False
        return b.shape[0] * sum(m.shape) <= 2 * m.size


def _padded_axis(m: GraphNode) -> int | None:
    """The only axis along which a node is zero-padded with step 1, or None."""
    if m.op != "pad":
        return None
    cut = [k for k, (span, length) in enumerate(zip(m.params, m.shape, strict=True)) if span != (0, length, 1)]
    return cut[0] if len(cut) == 1 and m.params[cut[0]][2] == 1 else None


def _adjacent_runs(pads: list[GraphNode], axis: int) -> list[list[GraphNode]]:
    """Group padded arrays into runs without gaps along the axis."""
    runs: list[list[GraphNode]] = []
    for m in pads:
        if runs and runs[-1][-1].params[axis][1] == m.params[axis][0]:
            runs[-1].append(m)
        else:
            runs.append([m])
    return runs


def _renumbered(nodes: list[GraphNode], recorded: int) -> list[GraphNode]:
    """Topological order of the nodes: as recorded, with new nodes right before their first user."""
    rank = {n: (n.number, 1) for n in nodes[:recorded]}
    for n in nodes[:recorded]:
        todo = [n]
        while todo:
            for a in todo.pop().args:
                if a not in rank:
                    rank[a] = (n.number, 0)
                    todo.append(a)
    for n in nodes:
        rank.setdefault(n, (n.number, 0))  # no longer used
    return topological_sort(nodes, lambda n: n.args, rank.__getitem__)
