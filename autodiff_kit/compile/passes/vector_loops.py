"""Which vector loop of a kernel computes which node.

A loop with too many values at a time runs out of registers, so long expressions fall into several; what crosses from
one to a later one waits in a scratch row of the first cache.
"""

from __future__ import annotations

from autodiff_kit.compile.node import SLOW, Node, kind
from autodiff_kit.compile.passes.fusion import Group, work

__all__ = [
    "ABREAST", "FEW", "LONG", "THIN", "TILE", "TOGETHER", "TURNING", "Loops", "schedule",
]  # fmt: skip

TILE, THIN, FEW = 2048, 512, 2
"""Entries of a tile: it stays in the first cache. Where more than a few values wait in scratch rows, it is thin."""

ABREAST, LONG = 4, 512
"""Vectors that a long loop has under way at once: one that waits for a result lets the others go on."""

TOGETHER = 2
"""Slow functions in one vector loop: with more, values no longer fit into registers."""

TURNING = ("sin", "cos")


class Loops:
    """The vector loop of each node of a group; nodes between loops stand after the loop of that number."""

    def __init__(self, g: Group) -> None:
        self.g = g
        self.of: dict[Node, int] = {}
        self.slow: dict[int, int] = {}
        self.most = TOGETHER if work(g) > 8192 or g.domain[-1] >= 128 else 99
        for n in g.nodes:
            self.of[n] = self._loop(n)
        self.users: dict[Node, list[Node]] = {}
        for n in g.nodes:
            for a in n.args:
                self.users.setdefault(a, []).append(n)
        for n in reversed(g.nodes):
            self._sink(n)
        self.number = max((self.of[n] for n in g.nodes), default=0) + 1

    def _loop(self, n: Node) -> int:
        g, of = self.g, self.of
        ready = [of[a] + (kind(a, g.domain) != "full") for a in n.args if a in g.inside]
        if n.op in ("sum", "max"):
            return max([of[a] for a in n.args if a in g.inside], default=0)
        if kind(n, g.domain) == "row":
            return max([of[a] for a in n.args if a in g.inside], default=-1)
        at = max(ready, default=0)
        heavy = n.op in SLOW
        if n.op in TURNING:
            at = max([at, *(of[a] + 1 for a in n.args if a in g.inside and kind(a, g.domain) == "full")])
            twin = next((m for m in of if m.op in TURNING and m.args == n.args and of[m] >= at), None)
            if twin is not None:
                at, heavy = of[twin], False
        while self.slow.get(at, 0) + heavy > self.most:
            at += 1
        self.slow[at] = self.slow.get(at, 0) + heavy
        return at

    def _sink(self, n: Node) -> None:
        """Compute something cheap where it is used, if nothing has to wait longer for that."""
        g, of = self.g, self.of
        users = self.users.get(n)
        if not users or n.op in SLOW or n in g.outs or kind(n, g.domain) != "full":
            return
        if any(u.op in TURNING or (kind(u, g.domain) != "full" and u.op != "sum") for u in users):
            return
        at = min(of[u] for u in users)
        mine = [a for a in n.args if a in g.inside and kind(a, g.domain) == "full"]
        if at > of[n] and all(a in g.outs or any(of[u] > of[a] for u in self.users[a] if u is not n) for a in mine):
            of[n] = at

    def last_use(self, n: Node) -> int:
        """The last loop that reads a node."""
        return max((self.of[u] for u in self.users.get(n, ())), default=-1)


def schedule(g: Group) -> dict[Node, int]:
    """The loop of each node."""
    return Loops(g).of
