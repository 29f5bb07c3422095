"""How much work a unit of a plan is: what is large runs without Python's lock, and in parts, so that it can be stopped.

Python looks at signals, such as Ctrl-C, between calls of native code only.
"""

from __future__ import annotations

from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.passes.fusion import FusionGroup, UnfusedNode
from autodiff_kit.compile.trace.loop_call import LoopCall

__all__ = ["LARGE", "MOST_AT_ONCE", "work_of"]

LARGE = 1 << 20
"""Operations on entries from which native code runs without Python's lock: some tenths of a millisecond."""
MOST_AT_ONCE = 1 << 23
"""Operations after which Python may look at signals: some hundredths of a second of functions such as tanh."""


def work_of(unit: FusionGroup | UnfusedNode) -> int:
    """About how many operations on entries a unit is; a single node counts as a product."""
    if isinstance(unit, FusionGroup):
        return len(unit.nodes) * max(n.size for n in unit.nodes)
    return _work_of_node(unit.node)


def _work_of_node(n: GraphNode) -> int:
    if n.op == "call" and isinstance(n.params.function, LoopCall):
        loop = n.params.function
        return len(loop.order) * sum(map(_work_of_node, loop.graph.nodes))
    inner = n.args[0].shape[-1] if n.args and n.args[0].shape else 1
    return n.size * inner
