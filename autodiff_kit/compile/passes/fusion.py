"""Operator fusion: group nodes into kernels.

A fusion group works over one shape, its domain. Nodes of this shape are computed in the inner loops ("full"). If a
member reads a reduction of the domain, the group has row axes: a kernel loops over the other axes outside, and computes
reductions over the row axes, and what has their shape, between its inner loops ("row"). All other reductions are
complete only after the kernel ("final"). Nodes join groups greedily in program order, unless a path of dependencies
would leave the group and enter it again.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable
from graphlib import TopologicalSorter
from typing import Any

import numpy as np

from autodiff_kit.compile.node import REDUCTIONS, VIEW_OPS, GraphNode, broadcast_axes, is_fusible, is_scalar
from autodiff_kit.compile.topological_order import view_base

__all__ = ["FusionGroup", "Schedule", "ScheduledUnit", "UnfusedNode", "fuse_nodes", "order_units"]

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
        self.first = self.position = node.number


class FusionGroup:
    """Nodes that are computed by one kernel."""

    def __init__(self, domain: tuple[int, ...], node: GraphNode) -> None:
        self.domain = domain
        self.row_axes: frozenset[int] = frozenset()
        self.nodes: list[GraphNode] = []
        self.members: set[GraphNode] = set()
        self.operands: set[GraphNode] = set()  # of all nodes, members or not
        self.viewed: set[GraphNode] = set()  # of which operands are views
        self.reductions: list[GraphNode] = []
        self.outputs: list[GraphNode] = []  # stored nodes
        self.inputs: list[GraphNode] = []  # nodes that are read
        self.overwrites: dict[GraphNode, GraphNode] = {}  # input -> output that is written over it
        self.dtype: Any = None
        self.first = self.last = self.position = node.number
        self.add(node)

    def add(self, node: GraphNode) -> None:
        """Add a node to the group."""
        self.nodes.append(node)
        self.members.add(node)
        self.operands.update(node.args)
        self.viewed.update(view_base(a) for a in node.args if a.op in VIEW_OPS)
        self.last = max(self.last, node.number)
        self.dtype = node.dtype if node.dtype.kind == "f" else self.dtype or next(iter(_float_dtypes(node.args)), None)
        self.reductions += [node] if node.op in REDUCTIONS else []

    def role(self, node: GraphNode) -> str:
        """The role of a member: "full", "row", or "final" for a reduction that is complete only after the kernel."""
        axes = broadcast_axes(node.shape, self.domain)
        if node.op not in REDUCTIONS:
            return "row" if axes else "full"
        return "row" if axes == self.row_axes and node.args[0].shape == self.domain else "final"

    @property
    def final_reductions(self) -> set[GraphNode]:
        """The members that are complete only after the kernel."""
        return {n for n in self.reductions if self.role(n) == "final"}

    def choose_row_axes(self) -> None:
        """Let reductions along the last axis be rows if no others are: each is then stored once."""
        last = max(k for k, d in enumerate(self.domain) if d > 1)
        for n in self.reductions:
            axes = broadcast_axes(n.shape, self.domain)
            if not self.row_axes and axes and last in axes and n.size > 1 and n.args[0].shape == self.domain:
                self.row_axes = axes


ScheduledUnit = FusionGroup | UnfusedNode

Schedule = list[ScheduledUnit]

Dependencies = dict[ScheduledUnit, set[ScheduledUnit]]


# ------------------------------------------------------------------------------------------------------------- grouping
class _FusionBuilder:
    """Builds the units of a schedule, with the dependencies between them.

    The positions of the units are always in topological order, so that a search for a path between two units looks only
    at the units between them: the algorithm of Pearce and Kelly (2006).
    """

    def __init__(self, nodes: list[GraphNode]) -> None:
        self.unit_of: dict[GraphNode, ScheduledUnit] = {}
        self.dependencies: Dependencies = {}
        self.dependents: dict[ScheduledUnit, set[ScheduledUnit]] = defaultdict(set)
        self.readers: dict[GraphNode, list[GraphNode]] = defaultdict(list)  # of a node or of views of it
        self.users: dict[GraphNode, list[GraphNode]] = defaultdict(list)
        for n in nodes:
            for a in n.args:
                self.users[a].append(n)

    def assign(self, node: GraphNode) -> None:
        """Make a unit for a node, and merge it with the units near it."""
        domain = node.args[0].shape if node.op in REDUCTIONS else node.shape
        unit = FusionGroup(domain, node) if math.prod(domain) > 1 and is_fusible(node) else UnfusedNode(node)
        bases = [view_base(a) for a in node.args]
        producers = {self.unit_of[r] for r in bases if r in self.unit_of}
        self.unit_of[node], self.dependencies[unit] = unit, producers
        for producer in producers:
            self.dependents[producer].add(unit)
        if isinstance(unit, FusionGroup):
            near = {self.unit_of[m] for a, r in zip(node.args, bases, strict=True) for m in self._neighbours(a, r)}
            groups = [u for u in near if isinstance(u, FusionGroup)]
            for other in sorted(groups, key=lambda g: -g.last):
                unit = self._try_to_merge(other, unit, node)
        for r in bases:
            self.readers[r].append(node)

    def _neighbours(self, a: GraphNode, base: GraphNode) -> list[GraphNode]:
        """The node that computes an operand, and nodes that read it; single numbers are free to read."""
        found = [] if is_scalar(a) else [base, *self.readers[base][:8], *self.readers[base][-8:]]
        return [n for n in found if n in self.unit_of]

    def _try_to_merge(self, a: FusionGroup, b: FusionGroup, node: GraphNode) -> FusionGroup:
        """The group ``b``, merged into ``a`` if that is possible."""
        far = node.number - a.first > MAX_GROUP_SPAN
        if (far and not (len(b.nodes) == 1 and self._replaces_an_operand(node, a))) or not self._can_merge(a, b):
            return b
        first, second = sorted((a, b), key=lambda u: u.position)
        between = self._dependencies_after(first, second)
        if between is None:
            return b
        last = a.last
        self._merge(a, b)
        self._move_behind(between, first, a)
        if far:
            a.last = last  # the node has no later operand
        return a

    def _replaces_an_operand(self, node: GraphNode, g: FusionGroup) -> bool:
        """Whether a group has all operands of a node, and storing the node in place of one of them is enough.

        A derivative is then computed together with its value when all operands are loaded.
        """

        def has(a: GraphNode) -> bool:
            return is_scalar(a) or ((a in g.members or a in g.operands) and a not in g.final_reductions)

        def is_needed_elsewhere(a: GraphNode) -> bool:
            users = self.users[a]
            return len(users) > 8 or not all(u is node or u in g.members or all(map(has, u.args)) for u in users)

        return all(map(has, node.args)) and not all(is_scalar(a) or is_needed_elsewhere(a) for a in node.args)

    def _can_merge(self, a: FusionGroup, b: FusionGroup) -> bool:
        """Whether two groups may become one kernel over the domain of ``a``."""
        if len(a.nodes) + len(b.nodes) > MAX_GROUP_NODES or (a.dtype != b.dtype and a.dtype and b.dtype):
            return False
        for n in b.nodes:
            if not _has_same_float_dtype(n, a):
                return False
            if not all(is_scalar(x) or x in a.members or _broadcasts_to(x.shape, a.domain) for x in n.args):
                return False
        if _merged_row_axes(a, b) is None:
            return False
        return a.members.isdisjoint(b.viewed) and b.members.isdisjoint(a.viewed)

    def _dependencies_after(self, first: FusionGroup, second: FusionGroup) -> set[ScheduledUnit] | None:
        """What ``second`` depends on behind ``first``; None if ``second`` depends on ``first`` through it."""
        found: set[ScheduledUnit] = set()
        todo = [u for u in self.dependencies[second] if u is not first]
        while todo:
            u = todo.pop()
            if u is first:
                return None
            if u.position > first.position and u not in found:
                found.add(u)
                todo.extend(self.dependencies[u])
        return found

    def _merge(self, a: FusionGroup, b: FusionGroup) -> None:
        """Move all nodes of ``b`` into ``a`` and update the dependencies."""
        a.row_axes = _merged_row_axes(a, b) or frozenset()
        ordered = a.nodes[-1].number < b.nodes[0].number
        for n in b.nodes:
            a.add(n)
            self.unit_of[n] = a
        if not ordered:
            a.nodes.sort(key=lambda n: n.number)
        a.first = min(a.first, b.first)
        sources, readers = self.dependencies.pop(b), self.dependents.pop(b, set())
        for u in sources:
            self.dependents[u].discard(b)
            self.dependents[u].add(a)
        for u in readers:
            self.dependencies[u].discard(b)
            self.dependencies[u].add(a)
        self.dependencies[a] = (self.dependencies[a] | sources) - {a, b}
        self.dependents[a] = (self.dependents[a] | readers) - {a, b}

    def _move_behind(self, sources: set[ScheduledUnit], first: FusionGroup, merged: FusionGroup) -> None:
        """Move a merged group from the position of its first half behind ``sources``, and its readers behind it."""
        end = max((u.position for u in sources), default=first.position)
        readers: set[ScheduledUnit] = set()
        todo: list[ScheduledUnit] = [merged]
        while todo:
            new = [u for u in self.dependents[todo.pop()] if u.position < end and u not in readers]
            readers.update(new)
            todo.extend(new)
        slots = sorted([first.position, *(u.position for u in (*sources, *readers))])
        halves = (sorted(units, key=lambda u: u.position) for units in (sources, readers))
        for u, slot in zip([*next(halves), merged, *next(halves)], slots, strict=True):
            u.position = slot


def _float_dtypes(nodes: Iterable[GraphNode]) -> set[Any]:
    """The floating-point dtypes of arrays."""
    return {n.dtype for n in nodes if n.dtype.kind == "f" and not n.weak and not is_scalar(n)}


def _has_same_float_dtype(node: GraphNode, g: FusionGroup) -> bool:
    """Whether a node and a group compute in one floating-point dtype."""
    floats = _float_dtypes((node, *node.args))
    if node.op == "cast":
        floats = {node.dtype} | {a.dtype for a in node.args if a in g.members and a.dtype.kind == "f"}
    return len(floats | ({g.dtype} if g.dtype else set())) <= 1


def _merged_row_axes(a: FusionGroup, b: FusionGroup) -> frozenset[int] | None:
    """The row axes of two groups as one over the domain of ``a``; None if they have more than one set of row axes."""
    read = {n for one, other in ((a, b), (b, a)) for n in one.final_reductions & other.operands}
    if any(is_scalar(n) or n.args[0].shape != a.domain for n in read):
        return None
    if b.row_axes and a.domain != b.domain:
        return None
    found = {a.row_axes, b.row_axes, *(broadcast_axes(n.shape, a.domain) for n in read)}
    for n in b.nodes:
        found.add(broadcast_axes(n.args[0].shape if n.op in REDUCTIONS else n.shape, a.domain))
    found.discard(frozenset())
    return frozenset() if not found else found.pop() if len(found) == 1 else None


def _broadcasts_to(shape: tuple[int, ...], domain: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to the domain."""
    return len(shape) <= len(domain) and all(n in (1, d) for n, d in zip(shape[::-1], domain[::-1], strict=False))


def fuse_nodes(nodes: list[GraphNode], outputs: list[GraphNode]) -> tuple[Dependencies, dict[GraphNode, ScheduledUnit]]:
    """Partition the nodes into units: what each unit depends on, and the unit of each node (views have none)."""
    state = _FusionBuilder(nodes)
    for node in nodes:
        if node.op not in ("input", "const") and node.op not in VIEW_OPS:
            state.assign(node)
    _find_inputs_and_outputs(list(state.dependencies), nodes, outputs)
    return state.dependencies, state.unit_of


def _find_inputs_and_outputs(units: Schedule, nodes: list[GraphNode], outputs: list[GraphNode]) -> None:
    """Set the inputs, outputs and dtype of each group."""
    used = {view_base(o) for o in outputs} | {view_base(n) for n in nodes if n.op in VIEW_OPS}
    for u in units:
        for n in u.nodes:
            used.update(view_base(a) for a in n.args if not (isinstance(u, FusionGroup) and a in u.members))
    for u in units:
        if isinstance(u, FusionGroup):
            u.outputs = [n for n in u.nodes if n in used]
            u.inputs = list(dict.fromkeys(a for n in u.nodes for a in n.args if a not in u.members))
            u.dtype = u.dtype or np.dtype(float)
            u.choose_row_axes()
            # These took much memory; a set that has grown node by node has up to four times the room of its copy.
            u.operands, u.viewed, u.members = set(), set(), u.members.copy()


def order_units(dependencies: Dependencies, extra: list[tuple[ScheduledUnit, ScheduledUnit]]) -> Schedule:
    """Sort the units topologically, close to program order; of each pair in ``extra`` the first runs first.

    Raises ``graphlib.CycleError`` if the pairs contradict the dependencies.
    """
    sorter = TopologicalSorter(dependencies)
    for first, second in extra:
        sorter.add(second, first)
    sorter.prepare()
    found: Schedule = []
    ready: list[tuple[int, Any]] = []  # no two units have the same first node
    while sorter.is_active():
        for u in sorter.get_ready():
            heapq.heappush(ready, (u.first, u))
        found.append(heapq.heappop(ready)[-1])
        sorter.done(found[-1])
    for place, u in enumerate(found):
        u.position = place
    return found
