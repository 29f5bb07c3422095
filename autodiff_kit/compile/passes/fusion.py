"""Which nodes become one kernel.

A group works over one shape, its domain: in the inner loop what has this shape ("full"); between loops what has one
value a row ("row"); and at the end sums over the columns ("column") or over everything ("total"). Nodes join
greedily in the order of the program, if no path leaves the group and comes back.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from autodiff_kit.compile.node import SLOW, VIEWS, Node, fusible, kind, scalar
from autodiff_kit.compile.topological_order import in_order, root

__all__ = ["MOST", "WINDOW", "Group", "Step", "Unit", "Units", "group", "operations", "ordered", "work"]

WINDOW = 400
"""Nodes between the first and the last of a group: beyond, nothing is in a cache any more, and plans take long."""

MOST = 90
"""Nodes of one group, for the compiler's sake."""


class Step:
    """One node that runs as a call of its own, or as a line of Python if it is a number."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.nodes = [node]
        self.outs = [node]
        self.ext = list(node.args)
        self.first = self.last = self.latest = node.number
        self.place = 0


class Group:
    """Nodes that run as one kernel."""

    def __init__(self, domain: tuple[int, ...], first: int) -> None:
        self.domain = domain
        self.nodes: list[Node] = []
        self.inside: set[Node] = set()
        self.ends: set[Node] = set()  # totals and columns, which are complete only after the kernel
        self.outs: list[Node] = []  # what is stored
        self.ext: list[Node] = []  # what is read
        self.pairs: dict[Node, Node] = {}  # what is read -> what is written over it
        self.flush: set[Node] = set()  # where denormal numbers become 0
        self.dtype: Any = None
        self.first = self.last = self.latest = first  # nodes; the latest of all that it waits for too
        self.place = 0

    def add(self, node: Node) -> None:
        """Take a node in."""
        self.nodes.append(node)
        self.inside.add(node)
        self.last = max(self.last, node.number)
        if node.dtype.kind == "f":
            self.dtype = node.dtype
        if kind(node, self.domain) in ("column", "total"):
            self.ends.add(node)


Unit = Group | Step

Units = list[Unit]


# ------------------------------------------------------------------------------------------------------------- grouping
class _Grouping:
    def __init__(self, nodes: list[Node]) -> None:
        self.units: Units = []
        self.unit: dict[Node, Unit] = {}
        self.reads: dict[Unit, set[Unit]] = {}
        self.readers: dict[Unit, set[Unit]] = defaultdict(set)
        self.users: dict[Node, list[Node]] = {}
        self.seen: dict[Group, set[Node]] = defaultdict(set)  # what a group reads, and what of its own it uses again
        for n in nodes:
            for a in n.args:
                self.users.setdefault(a, []).append(n)

    def source(self, node: Node) -> Unit | None:
        """The unit that makes a node's memory."""
        return self.unit.get(root(node))

    def reaches(self, start: Unit, goal: Unit) -> bool:
        """Whether what ``start`` reads comes, however far back, from ``goal``."""
        todo, seen = [start], set()
        while todo:
            u = todo.pop()
            if u is goal:
                return True
            if u not in seen and u.latest >= goal.first:
                seen.add(u)
                todo.extend(self.reads[u])
        return False

    def place(self, node: Node) -> None:
        """Put a node into a group that is there, or into a unit of its own."""
        domain = node.args[0].shape if node.op in ("sum", "max") else node.shape
        found: Unit | None = None
        if math.prod(domain) > 1 and fusible(node) and kind(node, domain) is not None:
            near = sorted(self._near(node), key=lambda g: -g.last)
            found = next((g for g in near if self._fits(node, g)), None)
            if found is None and (far := self._completes(node)) is not None and self._fits(node, far):
                found, last = far, far.last
                far.add(node)
                far.last = last  # it reads nothing from later on
            else:
                if found is None:
                    found = Group(domain, node.number)
                    self.units.append(found)
                    self.reads[found] = set()
                found.add(node)
                self._wait(found, node.number)
            self.seen[found].update(node.args)
        else:
            found = Step(node)
            self.units.append(found)
            self.reads[found] = set()
        self.unit[node] = found
        for a in node.args:
            if (source := self.source(a)) is not None and source is not found:
                self.reads[found].add(source)
                self.readers[source].add(found)
                self._wait(found, source.latest)

    def _wait(self, unit: Unit, latest: int) -> None:
        """A unit, and so all that read it, wait for a later node than before."""
        todo = [unit]
        while todo:
            u = todo.pop()
            if u.latest < latest:
                u.latest = latest
                todo.extend(self.readers[u])

    def _completes(self, node: Node) -> Group | None:
        """A group long ago that has all a node reads, if storing the node saves storing something that only it reads.

        So a slope is computed beside its value, when all that it needs is at hand.
        """
        given = [a for a in node.args if not scalar(a)]
        near = (self.unit.get(m) for a in given for m in (a, *self.users[a][:4]))
        g = next((u for u in near if isinstance(u, Group) and all(self._has(u, a) for a in given)), None)
        return g if g is not None and any(self._only_for(node, a, g) for a in given) else None

    def _has(self, g: Group, a: Node) -> bool:
        return (a in g.inside and a not in g.ends) or a in self.seen[g]

    def _only_for(self, node: Node, a: Node, g: Group) -> bool:
        """Whether nobody outside a group reads one of its nodes, but for nodes that it could compute too."""
        users = self.users[a]
        return len(users) <= 8 and all(
            u is node or u in g.inside or all(scalar(b) or self._has(g, b) for b in u.args) for u in users
        )

    def _near(self, node: Node) -> set[Group]:
        """Groups that make what a node reads, or read the same."""
        found: set[Group] = set()
        for a in node.args:
            beside = self.users.get(a, ())[:8] if a.size == node.size else ()  # what is repeated costs nothing to read
            for m in (a, *beside):
                u = self.unit.get(m)
                if isinstance(u, Group) and node.number - u.first <= WINDOW:
                    found.add(u)
        return found

    def _fits(self, node: Node, g: Group) -> bool:
        if len(g.nodes) >= MOST or kind(node, g.domain) is None or not _same_float(node, g):
            return False
        for a in node.args:
            if a in g.inside:
                if a in g.ends:
                    return False
            elif (not scalar(a) and a.shape != g.domain and not _spreads(a.shape, g.domain)) or (
                (s := self.source(a)) is not None and self.reaches(s, g)
            ):
                return False
        return True

    def merge(self) -> None:
        """Join whole groups that read the same, or one what the other makes."""
        for b in [u for u in self.units if isinstance(u, Group)]:
            for a in sorted(self._beside(b), key=lambda u: -u.last):
                if self._joins(a, b):
                    self._join(a, b)
                    break
        self.units = [u for u in self.units if u in self.reads]

    def _beside(self, b: Group) -> set[Group]:
        sources = {root(x) for n in b.nodes for x in n.args if x not in b.inside and not scalar(x)}
        found: set[Unit | None] = {self.unit.get(r) for r in sources}
        for r in sources:
            users = self.users.get(r, ())[:16]
            found |= {self.unit.get(m) for m in users}
            found |= {self.unit.get(m) for v in users if v.op in VIEWS for m in self.users.get(v, ())[:4]}
        return {u for u in found if isinstance(u, Group) and u is not b and u in self.reads and u.first <= b.first
                and b.last - u.first <= WINDOW}  # fmt: skip

    def _joins(self, a: Group, b: Group) -> bool:
        if a.domain != b.domain or len(a.nodes) + len(b.nodes) > MOST or (a.dtype != b.dtype and a.dtype and b.dtype):
            return False
        for one, other in ((a, b), (b, a)):
            for n in other.nodes:
                if any(x in one.ends or (root(x) in one.inside and x not in one.inside) for x in n.args):
                    return False
            if any(d is not one and self.reaches(d, one) for d in self.reads[other]):
                return False
        return True

    def _join(self, a: Group, b: Group) -> None:
        for n in b.nodes:
            a.add(n)
            self.unit[n] = a
        a.nodes.sort(key=lambda n: n.number)
        sources, readers = self.reads.pop(b), self.readers.pop(b, set())
        for u in sources:
            self.readers[u].discard(b)
            self.readers[u].add(a)
        for u in readers:
            self.reads[u].discard(b)
            self.reads[u].add(a)
        self.reads[a] = (self.reads[a] | sources) - {a, b}
        self.readers[a] = (self.readers[a] | readers) - {a, b}
        latest, a.latest = max(a.latest, b.latest), -1  # whoever reads either waits for both
        self._wait(a, latest)


def _same_float(node: Node, g: Group) -> bool:
    floats = {n.dtype for n in (node, *node.args) if n.dtype.kind == "f" and not n.weak and not scalar(n)}
    if node.op == "cast":
        floats = {node.dtype} | {a.dtype for a in node.args if a in g.inside and a.dtype.kind == "f"}
    return len(floats | ({g.dtype} if g.dtype else set())) <= 1


def _spreads(shape: tuple[int, ...], domain: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, domain) == domain
    except ValueError:
        return False


def group(nodes: list[Node], outputs: list[Node]) -> tuple[Units, dict[Node, Unit]]:
    """Units for all nodes, and the unit of each; views have none."""
    state = _Grouping(nodes)
    for node in nodes:
        if node.op not in ("input", "const") and node.op not in VIEWS:
            state.place(node)
    state.merge()
    _settle(state.units, state.unit, nodes, outputs)
    return state.units, state.unit


def _settle(units: Units, unit: dict[Node, Unit], nodes: list[Node], outputs: list[Node]) -> None:
    """What each group stores, and what it reads."""
    used = {root(o) for o in outputs} | {root(n) for n in nodes if n.op in VIEWS}
    for u in units:
        for n in u.nodes:
            used.update(root(a) for a in n.args if not (isinstance(u, Group) and a in u.inside))
    for u in units:
        if isinstance(u, Group):
            u.outs = [n for n in u.nodes if n in used]
            u.ext = list(dict.fromkeys(a for n in u.nodes for a in n.args if a not in u.inside))
            u.dtype = u.dtype or next((a.dtype for a in u.ext if a.dtype.char in "fd"), np.dtype(float))


def ordered(units: Units, unit: dict[Node, Unit], extra: list[tuple[Unit, Unit]]) -> Units:
    """An order in which all can run, close to the program's; of each pair in ``extra`` the first runs first."""
    before: dict[Unit, set[Unit]] = {u: set() for u in units}
    for u in units:
        for n in u.nodes:
            sources = (unit.get(root(a)) for a in n.args if not (isinstance(u, Group) and a in u.inside))
            before[u].update(s for s in sources if s is not None and s is not u)
    for first, second in extra:
        if first is not second:
            before[second].add(first)
    found: Units = in_order(units, before.__getitem__, lambda u: u.first)
    for place, u in enumerate(found):
        u.place = place
    return found


def work(group: Group) -> int:
    """Entries of a group's domain."""
    return math.prod(group.domain)


def operations(group: Group) -> int:
    """What a group takes, in operations on single entries; slow ones count for ten."""
    return work(group) * sum(10 if n.op in SLOW else 1 for n in group.nodes)
