"""Topological sorting, dead-node elimination, and the storage behind views."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any

from autodiff_kit.compile.node import VIEW_OPS, GraphNode

__all__ = ["live_nodes", "topological_sort", "view_base"]


def live_nodes(outputs: list[GraphNode], given: set[GraphNode] | None = None) -> list[GraphNode]:
    """The nodes on which outputs depend, in topological order; nodes in ``given`` count as inputs and are omitted."""
    seen: set[GraphNode] = set(given or ())
    known = set(seen)
    todo = list(outputs)
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo.extend(node.args)
    return sorted(seen - known, key=lambda n: n.number)


def topological_sort(
    things: list[Any], before: Callable[[Any], Iterable[Any]], rank: Callable[[Any], Any]
) -> list[Any]:
    """Sort so that each item follows those that ``before`` returns for it; ready items by rank."""
    after: dict[Any, list[Any]] = {thing: [] for thing in things}
    waits = dict.fromkeys(things, 0)
    for thing in things:
        for earlier in set(before(thing)):
            after[earlier].append(thing)
            waits[thing] += 1
    index = {thing: k for k, thing in enumerate(things)}
    ready = [(rank(thing), k) for thing, k in index.items() if not waits[thing]]
    heapq.heapify(ready)
    found: list[Any] = []
    while ready:
        thing = things[heapq.heappop(ready)[1]]
        found.append(thing)
        for later in after[thing]:
            waits[later] -= 1
            if not waits[later]:
                heapq.heappush(ready, (rank(later), index[later]))
    if len(found) < len(things):
        raise RuntimeError("the items depend on each other in a cycle")
    return found


def view_base(node: GraphNode) -> GraphNode:
    """The node in whose memory a chain of views ends."""
    while node.op in VIEW_OPS:
        node = node.args[0]
    return node
