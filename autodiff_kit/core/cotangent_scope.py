"""The scope of a backward pass: nodes have cotangents inside it and none afterwards."""

from __future__ import annotations

import threading
from typing import Any

from autodiff_kit.core.record import Node

__all__ = ["CotangentScope"]

_lock = threading.RLock()  # threads may share nodes, and cotangents are set on the nodes


class CotangentScope:
    """A block inside which nodes have cotangents; afterwards none has one, also where an exception was raised.

    A rule may itself ask a tape for a gradient: the inner block saves the outer one's cotangents and restores them.
    """

    _depth = 0

    def __init__(self, nodes: list[Node], leaves: tuple[Node | None, ...]) -> None:
        self.nodes, self.leaves = nodes, [n for n in leaves if n is not None]

    def __enter__(self) -> None:
        _lock.acquire()
        CotangentScope._depth += 1
        self.outer: list[tuple[Node, Any]] = []
        if CotangentScope._depth > 1:
            own = {*self.nodes, *self.leaves, *[n for node in self.nodes for n in node.inputs if n is not None]}
            self.outer = [(n, n.cotangent) for n in own if n.cotangent is not None]
            for node, _ in self.outer:
                node.cotangent = None

    def __exit__(self, kind: Any, *_: Any) -> None:
        for leaf in self.leaves:
            leaf.cotangent = None
        if kind is not None:
            for node in self.nodes:
                for n in (node, *node.inputs):
                    if n is not None:
                        n.cotangent = None
        for node, g in self.outer:
            node.cotangent = g
        CotangentScope._depth -= 1
        _lock.release()
