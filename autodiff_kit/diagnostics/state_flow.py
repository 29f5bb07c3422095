"""Which assignment to a variable carried a source's numbers to a target: the order of assignments and readings."""

from __future__ import annotations

from collections.abc import Iterable

from autodiff_kit.core.path_breaks import PathBreak
from autodiff_kit.core.record import Node, Record
from autodiff_kit.core.variable import Variable

__all__ = ["assignment_on_path"]


def assignment_on_path(
    record: Record, reached: set[Node], source: object, targets: Iterable[Node | Variable]
) -> PathBreak | None:
    """The assignment after which a target has numbers of a source from a variable, or None.

    Parameters
    ----------
    record : Record
    reached : set of Node
        The nodes that depend on the source.
    source : Tensor or Variable
    targets : iterable of Node and Variable
    """
    if not any(mark.kind == "assigned" for mark in record.path_breaks):
        return None
    flow = _StateFlow(record, reached, source)
    flow.run()
    found = [flow.held.get(id(t)) if isinstance(t, Variable) else flow.through.get(t) for t in targets]
    return next((mark for mark in found if mark is not None), None)


class _StateFlow:
    """The record's marks and nodes in the order in which they came, with the variables that hold the source's numbers.

    ``held`` has for each such variable the last assignment that gave it numbers of the source; ``through`` has the same
    for each node that was computed from such a variable.
    """

    def __init__(self, record: Record, reached: set[Node], source: object) -> None:
        self.record, self.reached, self.source = record, reached, source
        self.held: dict[int, PathBreak] = {}
        self.through: dict[Node, PathBreak] = {}
        readings = record.readings.items()
        self.leaves = {r.first.node: key for key, r in readings if r.first.node is not None}
        self.unfollowed = [key for key, r in readings if r.first.node is None]
        self.seen: set[Node] = set()

    def run(self) -> None:
        """Go through all marks and nodes once."""
        marks, done = self.record.path_breaks, 0
        for k, node in enumerate(self.record.nodes):
            while done < len(marks) and marks[done].at <= k:
                self._take_mark(marks[done])
                done += 1
            self._take_node(node)
        for mark in marks[done:]:
            self._take_mark(mark)
        for leaf in self.leaves.keys() - self.seen:
            self._take_first_use(leaf)

    def _take_mark(self, mark: PathBreak) -> None:
        if mark.kind == "overwritten":
            self.held.pop(id(mark.what), None)
        elif mark.kind == "assigned":
            direct = mark.what is self.source or mark.what in self.reached
            carried = mark if direct else self.through.get(mark.what) or self.held.get(id(mark.what))
            if carried is not None:
                self.held[id(mark.variable)] = carried

    def _take_node(self, node: Node) -> None:
        keys = [self.leaves[n] for n in node.inputs if n in self.leaves] if node.op.name == "read" else []
        if keys:  # after an assignment: the leaf has the value before it
            if (held := self.held.get(keys[0])) is not None:
                self.through[node] = held
            return
        for n in node.inputs:
            if n is not None and n in self.leaves and n not in self.seen:
                self._take_first_use(n)
        found = [mark for n in node.inputs if n is not None and (mark := self.through.get(n)) is not None]
        if None in node.inputs:  # it may be a variable that the record does not follow
            found += [self.held[key] for key in self.unfollowed if key in self.held]
        if found:
            self.through[node] = found[-1]

    def _take_first_use(self, leaf: Node) -> None:
        """A leaf stands for the first reading of its variable, which came just before its first use."""
        self.seen.add(leaf)
        if (held := self.held.get(self.leaves[leaf])) is not None:
            self.through[leaf] = held
