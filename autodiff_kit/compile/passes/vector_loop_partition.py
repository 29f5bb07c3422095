"""Assign each node of a kernel to one of its vector loops.

A value that needs a reduction over a row is computed in the loop after it, and a sine in the loop after its angle.
"""

from __future__ import annotations

from autodiff_kit.compile.node import REDUCTIONS, GraphNode
from autodiff_kit.compile.passes.fusion import FusionGroup

__all__ = ["TRIGONOMETRIC_OPS", "assign_loops"]

TRIGONOMETRIC_OPS = ("sin", "cos")


def assign_loops(g: FusionGroup) -> dict[GraphNode, int]:
    """The first vector loop in which each node of a group can be computed; row values are computed after it."""
    of: dict[GraphNode, int] = {}
    for n in g.nodes:
        operands = [a for a in n.args if a in g.members]
        if g.role(n) == "row" or n.op in REDUCTIONS:
            of[n] = max([of[a] for a in operands], default=0 if n.op in REDUCTIONS else -1)
        else:
            after_loop = n.op in TRIGONOMETRIC_OPS  # angles that are too large are reduced before the loop
            of[n] = max([of[a] + (after_loop or g.role(a) != "full") for a in operands], default=0)
    return of
