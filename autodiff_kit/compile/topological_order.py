"""Nodes in an order in which they can run, and what they depend on."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any

from autodiff_kit.compile.node import VIEWS, Node

__all__ = ["in_order", "live", "root"]


def live(outputs: list[Node], given: set[Node] | None = None) -> list[Node]:
    """The nodes that outputs depend on, in order; what is given depends on nothing."""
    seen: set[Node] = set(given or ())
    known = set(seen)
    todo = list(outputs)
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo.extend(node.args)
    return sorted(seen - known, key=lambda n: n.number)


def in_order(things: list[Any], before: Callable[[Any], Iterable[Any]], rank: Callable[[Any], Any]) -> list[Any]:
    """Things, each after all that are before it, and apart from that by rank."""
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
        raise RuntimeError("these wait for each other in a circle")
    return found


def root(node: Node) -> Node:
    """Whose memory a node looks at."""
    while node.op in VIEWS:
        node = node.args[0]
    return node
