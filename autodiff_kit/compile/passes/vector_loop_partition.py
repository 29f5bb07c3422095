"""Assign each node of a kernel to one of its vector loops.

A loop with too many live values runs out of vector registers, so long expressions are split into several loops. Values
that a later loop reads are stored in scratch rows that fit into the L1 cache.
"""

from __future__ import annotations

from autodiff_kit.compile.node import REDUCTIONS, SLOW_OPS, GraphNode
from autodiff_kit.compile.passes.fusion import FusionGroup, domain_size

__all__ = [
    "INTERLEAVE_COUNT", "MAX_ROWS_IN_LONG_TILE", "MAX_SLOW_OPS", "MAX_TILES_IN_BLOCK", "MIN_INTERLEAVED_LENGTH",
    "MIN_TILE_LENGTH", "SHORT_TILE_LENGTH", "TILE_LENGTH", "TRIGONOMETRIC_OPS", "LoopAssignment", "assign_loops",
]  # fmt: skip

TILE_LENGTH, SHORT_TILE_LENGTH, MAX_ROWS_IN_LONG_TILE = 2048, 512, 2
"""Tile lengths that fit into the L1 cache: the short one for kernels with many scratch rows."""

MAX_TILES_IN_BLOCK, MIN_TILE_LENGTH = 16, 128
"""A tile is shorter if values of more than so many tiles are kept between vector loops, so that these fit into L2."""

INTERLEAVE_COUNT, MIN_INTERLEAVED_LENGTH = 4, 512
"""Vectors that LLVM interleaves in a long loop, to hide latencies."""

MAX_SLOW_OPS = 2
"""Largest number of transcendental functions in one vector loop; more need too many registers."""

TRIGONOMETRIC_OPS = ("sin", "cos")


class LoopAssignment:
    """The vector loop of each node of a group; row values are computed after the loop of that number."""

    def __init__(self, g: FusionGroup) -> None:
        self.g = g
        self.loop_of: dict[GraphNode, int] = {}
        self.slow_count: dict[int, int] = {}
        self.max_slow_ops = MAX_SLOW_OPS if domain_size(g) > 8192 or g.domain[-1] >= 128 else 99
        for n in g.nodes:
            self.loop_of[n] = self._earliest_loop(n)
        self.users: dict[GraphNode, list[GraphNode]] = {}
        for n in g.nodes:
            for a in n.args:
                self.users.setdefault(a, []).append(n)
        for n in reversed(g.nodes):
            self._sink(n)
        self.count = max((self.loop_of[n] for n in g.nodes), default=0) + 1

    def _earliest_loop(self, n: GraphNode) -> int:
        """The first loop in which a node can be computed."""
        g, of = self.g, self.loop_of
        ready = [of[a] + (g.role(a) != "full") for a in n.args if a in g.members]
        if n.op in REDUCTIONS:
            return max([of[a] for a in n.args if a in g.members], default=0)
        if g.role(n) == "row":
            return max([of[a] for a in n.args if a in g.members], default=-1)
        at = max(ready, default=0)
        heavy = n.op in SLOW_OPS
        if n.op in TRIGONOMETRIC_OPS:
            at = max([at, *(of[a] + 1 for a in n.args if a in g.members and g.role(a) == "full")])
            twin = next((m for m in of if m.op in TRIGONOMETRIC_OPS and m.args == n.args and of[m] >= at), None)
            if twin is not None:
                at, heavy = of[twin], False
        while self.slow_count.get(at, 0) + heavy > self.max_slow_ops:
            at += 1
        self.slow_count[at] = self.slow_count.get(at, 0) + heavy
        return at

    def _sink(self, n: GraphNode) -> None:
        """Move a cheap node to the loop of its first use, unless that makes other values live longer."""
        g, of = self.g, self.loop_of
        users = self.users.get(n)
        if not users or n.op in SLOW_OPS or n in g.outputs or g.role(n) != "full":
            return
        if any(u.op in TRIGONOMETRIC_OPS or (g.role(u) != "full" and u.op != "sum") for u in users):
            return
        at = min(of[u] for u in users)
        mine = [a for a in n.args if a in g.members and g.role(a) == "full"]
        if at > of[n] and all(a in g.outputs or any(of[u] > of[a] for u in self.users[a] if u is not n) for a in mine):
            of[n] = at

    def last_use(self, n: GraphNode) -> int:
        """The last loop that reads a node."""
        return max((self.loop_of[u] for u in self.users.get(n, ())), default=-1)


def assign_loops(g: FusionGroup) -> dict[GraphNode, int]:
    """The loop number of each node of a group."""
    return LoopAssignment(g).loop_of
