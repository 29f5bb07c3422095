"""Operator fusion: group nodes into kernels.

A fusion group works over one shape, its domain. Nodes of this shape are computed in the inner loop ("full"), nodes with
one value for each row between inner loops ("row"), and sums over the rows ("column") or over everything ("total") are
complete only after the kernel. Nodes join groups greedily in program order, unless a path of dependencies would leave
the group and enter it again.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from autodiff_kit.compile.node import VIEW_OPS, GraphNode, domain_role, is_fusible, is_scalar
from autodiff_kit.compile.topological_order import topological_sort, view_base

__all__ = [
    "MAX_GROUP_NODES",
    "MAX_GROUP_SPAN",
    "FusionGroup",
    "Schedule",
    "ScheduledUnit",
    "UnfusedNode",
    "domain_size",
    "fuse_nodes",
    "order_units",
]

MAX_GROUP_SPAN = 400
"""Largest distance in nodes between the first and last node of a group; farther operands have left the caches."""

MAX_GROUP_NODES = 90
"""Largest number of nodes in a group, to limit LLVM's compile time."""


class UnfusedNode:
    """A node that runs as a separate NumPy call, or as a line of Python if it is a single number."""

    def __init__(self, node: GraphNode) -> None:
        self.node = node
        self.nodes = [node]
        self.outputs = [node]
        self.inputs = list(node.args)
        self.first = self.last = self.latest = node.number
        self.position = 0


class FusionGroup:
    """Nodes that are computed by one kernel."""

    def __init__(self, domain: tuple[int, ...], first: int) -> None:
        self.domain = domain
        self.nodes: list[GraphNode] = []
        self.members: set[GraphNode] = set()
        self.final_reductions: set[GraphNode] = set()  # totals and columns, complete only after the kernel
        self.outputs: list[GraphNode] = []  # stored nodes
        self.inputs: list[GraphNode] = []  # nodes that are read
        self.overwrites: dict[GraphNode, GraphNode] = {}  # input -> output that is written over it
        self.flush_to_zero: set[GraphNode] = set()  # outputs whose denormal numbers become 0
        self.dtype: Any = None
        self.first = self.last = self.latest = first  # node numbers; ``latest`` includes all dependencies
        self.position = 0

    def add(self, node: GraphNode) -> None:
        """Add a node to the group."""
        self.nodes.append(node)
        self.members.add(node)
        self.last = max(self.last, node.number)
        if node.dtype.kind == "f":
            self.dtype = node.dtype
        if domain_role(node, self.domain) in ("column", "total"):
            self.final_reductions.add(node)


ScheduledUnit = FusionGroup | UnfusedNode

Schedule = list[ScheduledUnit]


# ------------------------------------------------------------------------------------------------------------- grouping
class _FusionBuilder:
    """Builds the units of a schedule, with the dependencies between them."""

    def __init__(self, nodes: list[GraphNode]) -> None:
        self.units: Schedule = []
        self.unit_of: dict[GraphNode, ScheduledUnit] = {}
        self.dependencies: dict[ScheduledUnit, set[ScheduledUnit]] = {}
        self.dependents: dict[ScheduledUnit, set[ScheduledUnit]] = defaultdict(set)
        self.users: dict[GraphNode, list[GraphNode]] = {}
        self.operands: dict[FusionGroup, set[GraphNode]] = defaultdict(set)  # operands of the nodes of a group
        for n in nodes:
            for a in n.args:
                self.users.setdefault(a, []).append(n)

    def producer(self, node: GraphNode) -> ScheduledUnit | None:
        """The unit that computes the memory behind a node."""
        return self.unit_of.get(view_base(node))

    def depends_on(self, start: ScheduledUnit, goal: ScheduledUnit) -> bool:
        """Whether ``start`` depends on ``goal``, directly or indirectly."""
        todo, seen = [start], set()
        while todo:
            u = todo.pop()
            if u is goal:
                return True
            if u not in seen and u.latest >= goal.first:
                seen.add(u)
                todo.extend(self.dependencies[u])
        return False

    def assign(self, node: GraphNode) -> None:
        """Add a node to an existing group, or make a new unit for it."""
        domain = node.args[0].shape if node.op in ("sum", "max") else node.shape
        found: ScheduledUnit | None = None
        if math.prod(domain) > 1 and is_fusible(node) and domain_role(node, domain) is not None:
            near = sorted(self._candidate_groups(node), key=lambda g: -g.last)
            found = next((g for g in near if self._can_join(node, g)), None)
            if found is None and (far := self._earlier_group_for(node)) is not None and self._can_join(node, far):
                found, last = far, far.last
                far.add(node)
                far.last = last  # the node has no later operand
            else:
                if found is None:
                    found = FusionGroup(domain, node.number)
                    self.units.append(found)
                    self.dependencies[found] = set()
                found.add(node)
                self._propagate_latest(found, node.number)
            self.operands[found].update(node.args)
        else:
            found = UnfusedNode(node)
            self.units.append(found)
            self.dependencies[found] = set()
        self.unit_of[node] = found
        for a in node.args:
            if (producer := self.producer(a)) is not None and producer is not found:
                self.dependencies[found].add(producer)
                self.dependents[producer].add(found)
                self._propagate_latest(found, producer.latest)

    def _propagate_latest(self, unit: ScheduledUnit, latest: int) -> None:
        """Raise ``latest`` of a unit and of all that depend on it."""
        todo = [unit]
        while todo:
            u = todo.pop()
            if u.latest < latest:
                u.latest = latest
                todo.extend(self.dependents[u])

    def _earlier_group_for(self, node: GraphNode) -> FusionGroup | None:
        """An earlier group that has all operands of a node, if storing the node instead of an operand is enough.

        A derivative is then computed together with its value when all operands are loaded.
        """
        given = [a for a in node.args if not is_scalar(a)]
        near = (self.unit_of.get(m) for a in given for m in (a, *self.users[a][:4]))
        g = next((u for u in near if isinstance(u, FusionGroup) and all(self._has_value(u, a) for a in given)), None)
        return g if g is not None and any(self._only_needed_by(node, a, g) for a in given) else None

    def _has_value(self, g: FusionGroup, a: GraphNode) -> bool:
        """Whether a group computes or reads a node."""
        return (a in g.members and a not in g.final_reductions) or a in self.operands[g]

    def _only_needed_by(self, node: GraphNode, a: GraphNode, g: FusionGroup) -> bool:
        """Whether all users of ``a`` are ``node``, in the group, or nodes that the group could compute too."""
        users = self.users[a]
        return len(users) <= 8 and all(
            u is node or u in g.members or all(is_scalar(b) or self._has_value(g, b) for b in u.args) for u in users
        )

    def _candidate_groups(self, node: GraphNode) -> set[FusionGroup]:
        """Recent groups that compute an operand of a node or read the same operand."""
        found: set[FusionGroup] = set()
        for a in node.args:
            neighbours = self.users.get(a, ())[:8] if a.size == node.size else ()  # broadcast operands are free to read
            for m in (a, *neighbours):
                u = self.unit_of.get(m)
                if isinstance(u, FusionGroup) and node.number - u.first <= MAX_GROUP_SPAN:
                    found.add(u)
        return found

    def _can_join(self, node: GraphNode, g: FusionGroup) -> bool:
        """Whether a node may be added to a group."""
        if len(g.nodes) >= MAX_GROUP_NODES or domain_role(node, g.domain) is None or not _has_same_float_dtype(node, g):
            return False
        for a in node.args:
            if a in g.members:
                if a in g.final_reductions:
                    return False
            elif (not is_scalar(a) and a.shape != g.domain and not _broadcasts_to(a.shape, g.domain)) or (
                (s := self.producer(a)) is not None and self.depends_on(s, g)
            ):
                return False
        return True

    def merge_groups(self) -> None:
        """Merge groups that share operands or feed each other."""
        for b in [u for u in self.units if isinstance(u, FusionGroup)]:
            for a in sorted(self._merge_candidates(b), key=lambda u: -u.last):
                if self._can_merge(a, b):
                    self._merge(a, b)
                    break
        self.units = [u for u in self.units if u in self.dependencies]

    def _merge_candidates(self, b: FusionGroup) -> set[FusionGroup]:
        """Earlier groups near ``b`` that compute or read its operands."""
        sources = {view_base(x) for n in b.nodes for x in n.args if x not in b.members and not is_scalar(x)}
        found: set[ScheduledUnit | None] = {self.unit_of.get(r) for r in sources}
        for r in sources:
            users = self.users.get(r, ())[:16]
            found |= {self.unit_of.get(m) for m in users}
            found |= {self.unit_of.get(m) for v in users if v.op in VIEW_OPS for m in self.users.get(v, ())[:4]}
        return {
            u for u in found
            if isinstance(u, FusionGroup) and u is not b and u in self.dependencies
            and u.first <= b.first and b.last - u.first <= MAX_GROUP_SPAN
        }  # fmt: skip

    def _can_merge(self, a: FusionGroup, b: FusionGroup) -> bool:
        """Whether two groups may become one kernel."""
        if (
            a.domain != b.domain
            or len(a.nodes) + len(b.nodes) > MAX_GROUP_NODES
            or (a.dtype != b.dtype and a.dtype and b.dtype)
        ):
            return False
        for one, other in ((a, b), (b, a)):
            for n in other.nodes:
                if any(
                    x in one.final_reductions or (view_base(x) in one.members and x not in one.members) for x in n.args
                ):
                    return False
            if any(d is not one and self.depends_on(d, one) for d in self.dependencies[other]):
                return False
        return True

    def _merge(self, a: FusionGroup, b: FusionGroup) -> None:
        """Move all nodes of ``b`` into ``a`` and update the dependencies."""
        for n in b.nodes:
            a.add(n)
            self.unit_of[n] = a
        a.nodes.sort(key=lambda n: n.number)
        sources, readers = self.dependencies.pop(b), self.dependents.pop(b, set())
        for u in sources:
            self.dependents[u].discard(b)
            self.dependents[u].add(a)
        for u in readers:
            self.dependencies[u].discard(b)
            self.dependencies[u].add(a)
        self.dependencies[a] = (self.dependencies[a] | sources) - {a, b}
        self.dependents[a] = (self.dependents[a] | readers) - {a, b}
        latest, a.latest = max(a.latest, b.latest), -1  # dependents of either group now wait for both
        self._propagate_latest(a, latest)


def _has_same_float_dtype(node: GraphNode, g: FusionGroup) -> bool:
    """Whether a node and a group compute in one floating-point dtype."""
    floats = {n.dtype for n in (node, *node.args) if n.dtype.kind == "f" and not n.weak and not is_scalar(n)}
    if node.op == "cast":
        floats = {node.dtype} | {a.dtype for a in node.args if a in g.members and a.dtype.kind == "f"}
    return len(floats | ({g.dtype} if g.dtype else set())) <= 1


def _broadcasts_to(shape: tuple[int, ...], domain: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to the domain."""
    try:
        return np.broadcast_shapes(shape, domain) == domain
    except ValueError:
        return False


def fuse_nodes(nodes: list[GraphNode], outputs: list[GraphNode]) -> tuple[Schedule, dict[GraphNode, ScheduledUnit]]:
    """Partition the nodes into units; returns the units and the unit of each node (views have none)."""
    state = _FusionBuilder(nodes)
    for node in nodes:
        if node.op not in ("input", "const") and node.op not in VIEW_OPS:
            state.assign(node)
    state.merge_groups()
    _find_inputs_and_outputs(state.units, state.unit_of, nodes, outputs)
    return state.units, state.unit_of


def _find_inputs_and_outputs(
    units: Schedule, unit: dict[GraphNode, ScheduledUnit], nodes: list[GraphNode], outputs: list[GraphNode]
) -> None:
    """Set the inputs, outputs and dtype of each group."""
    used = {view_base(o) for o in outputs} | {view_base(n) for n in nodes if n.op in VIEW_OPS}
    for u in units:
        for n in u.nodes:
            used.update(view_base(a) for a in n.args if not (isinstance(u, FusionGroup) and a in u.members))
    for u in units:
        if isinstance(u, FusionGroup):
            u.outputs = [n for n in u.nodes if n in used]
            u.inputs = list(dict.fromkeys(a for n in u.nodes for a in n.args if a not in u.members))
            u.dtype = u.dtype or next((a.dtype for a in u.inputs if a.dtype.char in "fd"), np.dtype(float))


def order_units(
    units: Schedule, unit: dict[GraphNode, ScheduledUnit], extra: list[tuple[ScheduledUnit, ScheduledUnit]]
) -> Schedule:
    """Sort the units topologically, close to program order; of each pair in ``extra`` the first runs first."""
    before: dict[ScheduledUnit, set[ScheduledUnit]] = {u: set() for u in units}
    for u in units:
        for n in u.nodes:
            sources = (unit.get(view_base(a)) for a in n.args if not (isinstance(u, FusionGroup) and a in u.members))
            before[u].update(s for s in sources if s is not None and s is not u)
    for first, second in extra:
        if first is not second:
            before[second].add(first)
    found: Schedule = topological_sort(units, before.__getitem__, lambda u: u.first)
    for place, u in enumerate(found):
        u.position = place
    return found


def domain_size(g: FusionGroup) -> int:
    """Number of entries of a group's domain."""
    return math.prod(g.domain)
