"""Assign each node of a kernel to one of its vector loops.

A loop with too many live values runs out of vector registers, so long expressions are split into several loops. Values
that a later loop reads are stored in scratch rows that fit into the L1 cache.
"""

from __future__ import annotations

from autodiff_kit.compile.node import ARITHMETIC_OPS, COMPARISON_OPS, REDUCTIONS, SLOW_OPS, GraphNode, is_scalar
from autodiff_kit.compile.passes.fusion import FusionGroup, domain_size

__all__ = [
    "INTERLEAVE_COUNT", "MAX_ROWS_IN_LONG_TILE", "MAX_SLOW_OPS", "MAX_TILES_IN_BLOCK", "MAX_UNROLLED",
    "MIN_INTERLEAVED_LENGTH", "MIN_TILE_LENGTH", "SHORT_TILE_LENGTH", "TILE_LENGTH", "TRIGONOMETRIC_OPS",
    "LoopAssignment", "assign_loops",
]  # fmt: skip

TILE_LENGTH, SHORT_TILE_LENGTH, MAX_ROWS_IN_LONG_TILE = 2048, 512, 2
"""Tile lengths that fit into the L1 cache: the short one for kernels with many scratch rows."""

MAX_TILES_IN_BLOCK, MIN_TILE_LENGTH = 16, 128
"""A tile is shorter if values of more than so many tiles are kept between vector loops, so that these fit into L2."""

INTERLEAVE_COUNT, MIN_INTERLEAVED_LENGTH = 4, 512
"""Vectors that LLVM interleaves in a long loop, to hide latencies."""

MAX_SLOW_OPS = 2
"""Largest number of transcendental functions in one vector loop; more need too many registers."""

MAX_UNROLLED = 4
"""Longest loop that LLVM may unroll before it looks for vectors."""

TRIGONOMETRIC_OPS = ("sin", "cos")

REPEATED_OPS = (ARITHMETIC_OPS | COMPARISON_OPS) - {"divide", "reciprocal", "sqrt"}
MAX_REPEATED_OPS = 3
"""So many cheap operations on one array are computed again in each loop that needs them, instead of stored."""


class LoopAssignment:
    """The vector loops of each node of a group; row values are computed after the loop of that number.

    ``loop_of`` is the first loop in which a node can be computed, and ``loops_of`` all in which it is.
    """

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
        repeated = self._repeated()
        self.loops_of: dict[GraphNode, set[int]] = {}
        for n in reversed(g.nodes):
            read = set[int]().union(*(self.loops_of[u] for u in self.users.get(n, ())))
            self.loops_of[n] = read if n in repeated else {self.loop_of[n]}
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

    def _repeated(self) -> dict[GraphNode, int]:
        """Nodes that follow from one array by few cheap operations, with the number of these."""
        g, found = self.g, dict[GraphNode, int]()
        for n in g.nodes:
            sources = {a for a in n.args if a.shape == g.domain and not is_scalar(a)}
            users = self.users.get(n, ())
            cheap = (
                n.op in REPEATED_OPS and len(sources) == 1 and all(a in found or a not in g.members for a in sources)
            )
            if cheap and users and n not in g.outputs and all(u.op not in TRIGONOMETRIC_OPS for u in users):
                cost = 1 + sum(found.get(a, 0) for a in sources)
                if cost <= MAX_REPEATED_OPS and g.role(n) == "full":
                    found[n] = cost
        return found

    def is_stored(self, n: GraphNode) -> bool:
        """Whether a later loop reads a node that is computed only once."""
        used = max((max(self.loops_of[u]) for u in self.users.get(n, ())), default=-1)
        return used > max(self.loops_of[n])


def assign_loops(g: FusionGroup) -> dict[GraphNode, int]:
    """The last loop in which each node of a group is computed."""
    return {n: max(loops) for n, loops in LoopAssignment(g).loops_of.items()}
