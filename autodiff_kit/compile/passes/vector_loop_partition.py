"""Assign each node of a kernel to one of its vector loops.

A value that needs a reduction over a row is computed in the loop after it, and a sine in the loop after its angle.
Values that a later loop reads are stored in scratch rows that fit into the L1 cache.
"""

from __future__ import annotations

from autodiff_kit.compile.node import REDUCTIONS, GraphNode
from autodiff_kit.compile.passes.fusion import FusionGroup

__all__ = [
    "INTERLEAVE_COUNT", "MAX_ROWS_IN_LONG_TILE", "MAX_TILES_IN_BLOCK", "MAX_UNROLLED",
    "MIN_INTERLEAVED_LENGTH", "MIN_TILE_LENGTH", "SHORT_TILE_LENGTH", "TILE_LENGTH", "TRIGONOMETRIC_OPS",
    "LoopAssignment", "assign_loops",
]  # fmt: skip

TILE_LENGTH, SHORT_TILE_LENGTH, MAX_ROWS_IN_LONG_TILE = 2048, 512, 2
"""Tile lengths that fit into the L1 cache: the short one for kernels with many scratch rows."""

MAX_TILES_IN_BLOCK, MIN_TILE_LENGTH = 16, 128
"""A tile is shorter if values of more than so many tiles are kept between vector loops, so that these fit into L2."""

INTERLEAVE_COUNT, MIN_INTERLEAVED_LENGTH = 4, 512
"""Vectors that LLVM interleaves in a long loop, to hide latencies."""

MAX_UNROLLED = 4
"""Longest loop that LLVM may unroll before it looks for vectors."""

TRIGONOMETRIC_OPS = ("sin", "cos")


class LoopAssignment:
    """The vector loop of each node of a group: the first in which it can be computed.

    Row values are computed after the loop of that number. ``stored`` are the nodes that a later loop reads.
    """

    def __init__(self, g: FusionGroup) -> None:
        self.g = g
        self.loop_of: dict[GraphNode, int] = {}
        for n in g.nodes:
            self.loop_of[n] = self._earliest_loop(n)
        self.count = max(self.loop_of.values(), default=0) + 1
        self.stored = {a for n in g.nodes for a in n.args if a in g.members and self.loop_of[n] > self.loop_of[a]}

    def _earliest_loop(self, n: GraphNode) -> int:
        g, of = self.g, self.loop_of
        operands = [a for a in n.args if a in g.members]
        if g.role(n) == "row" or n.op in REDUCTIONS:
            return max([of[a] for a in operands], default=0 if n.op in REDUCTIONS else -1)
        after_loop = n.op in TRIGONOMETRIC_OPS  # angles that are too large are reduced before the loop
        return max([of[a] + (after_loop or g.role(a) != "full") for a in operands], default=0)


def assign_loops(g: FusionGroup) -> dict[GraphNode, int]:
    """The loop in which each node of a group is computed."""
    return LoopAssignment(g).loop_of
