"""Dead-node elimination in topological order, and the storage behind views."""

from __future__ import annotations

from autodiff_kit.compile.node import VIEW_OPS, GraphNode

__all__ = ["live_nodes", "view_base"]


def live_nodes(outputs: list[GraphNode], given: set[GraphNode] | None = None) -> list[GraphNode]:
    """The nodes on which outputs depend, in topological order; nodes in ``given`` count as inputs and are omitted."""
    seen = set(given or ())
    found: list[GraphNode] = []
    todo = list(outputs)
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            found.append(node)
            todo.extend(node.args)
    return sorted(found, key=lambda n: n.number)


def view_base(node: GraphNode) -> GraphNode:
    """The node in whose memory a chain of views ends."""
    while node.op in VIEW_OPS:
        node = node.args[0]
    return node
