"""The record of a computation: nodes in the order in which their operations ran.

A :class:`Node` stands for one computed value: it holds the operation, the nodes that the operation read, and the values
that the derivative needs. A node is an object apart from its tensor, so that a record can release an array that the
user still holds. A float64 scalar is the exception: its tensor *is* its node, which saves one object for each
operation.

A :class:`Record` is the list of nodes that a tape owns. Tensors point to their node and nodes to their record, but no
record points back to its tape: when a tape is no longer referenced, its `__del__` clears the record, even if some of
its tensors are still referenced.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from autodiff_kit.core.array_spec import NUMBERS, ArraySpec

__all__ = ["ACTIVE_MODES", "NO_PARTS", "ArrayNode", "Node", "Record", "make_leaf", "open_records", "stand_in"]


class Node:
    """One entry of a record, or a leaf of it (``op`` is None).

    Attributes
    ----------
    op : Op or None
        The operation that computed the value.
    parts : tuple
        ``(*inputs, output, *values)`` in one tuple, because the tape makes one for each operation: the nodes that were
        read (None for a constant), then the output and the input values. Where no rule needs a value, an
        :class:`ArraySpec` replaces it; an output of None means that the values were released.
    record : Record or JointRecord
        The record that the node belongs to, or several.
    cotangent : float, ndarray, Tensor or None
        Set while a backward pass runs.
    code, lasti : code object, int
        The user's instruction; its line number is computed on demand.
    given : dict
        The parameters of the operation besides its inputs, where it has any; see :attr:`params`.
    extras : dict
        Attributes that few nodes have (tangents, a name).
    spec : ArraySpec or None
        Shape and dtype of the value; None for a Python float.
    """

    __slots__ = ("code", "cotangent", "extras", "given", "lasti", "op", "parts", "record")

    op: Any
    parts: tuple[Any, ...]
    record: Any
    cotangent: Any
    code: Any
    lasti: int
    given: dict[str, Any]
    extras: dict[str, Any]
    spec: ArraySpec | None = None

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        """The nodes that the operation read; None for a constant. ``parts`` is n nodes, the output and n values."""
        return self.parts[: len(self.parts) // 2]

    @property
    def saved(self) -> tuple[Any, ...] | None:
        """The output and the input values, as far as they are held; None after they were released."""
        saved = self.parts[len(self.parts) // 2 :]
        return None if saved[0] is None else saved

    def get_extra(self, name: str, default: Any = None) -> Any:
        """One of the attributes that few nodes have."""
        return self.extras.get(name, default) if hasattr(self, "extras") else default

    def set_extra(self, name: str, value: Any) -> None:
        """Set one of the attributes that few nodes have."""
        if not hasattr(self, "extras"):
            self.extras = {}
        self.extras[name] = value

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the operation, besides its inputs."""
        return self.given if hasattr(self, "given") else {}

    def release(self) -> None:
        """Drop every value; keep the input nodes, and the shapes of constants."""
        parts, half = self.parts, len(self.parts) // 2
        if parts[half] is None:
            return
        if half == 1:  # at least one input is followed; this case and the next are most nodes
            self.parts = (parts[0], None, None)
        elif half == 2:
            n, m, _, a, b = parts
            self.parts = (n, m, None, stand_in(a) if n is None else None, stand_in(b) if m is None else None)
        else:
            specs = [None if n is not None else stand_in(x) for n, x in zip(parts, parts[half + 1 :], strict=False)]
            self.parts = (*parts[:half], None, *specs)


def stand_in(value: Any) -> Any:
    """What a released node keeps of a constant: a number, or the shape of an array."""
    return value if type(value) in NUMBERS or type(value) is ArraySpec else ArraySpec.of(value)


class ArrayNode(Node):
    """The node of an array, an object apart from its tensor."""

    __slots__ = ("spec",)
    spec: ArraySpec


NO_PARTS = (None,)
"""The parts of a leaf: no inputs and no values."""


def make_leaf(node: Node, record: Any) -> Node:
    """Make a node a leaf of a record: a watched tensor or a variable."""
    node.op, node.parts = None, NO_PARTS
    node.record, node.cotangent, node.code, node.lasti = record, None, None, 0
    return node


class Record:
    """Nodes in the order in which they ran.

    ``sink`` receives new nodes (``sink.append(node)``): the list itself while the record is open, None while it is
    closed or paused. A forward accumulator is a record whose sink computes tangents and keeps no nodes.
    """

    __slots__ = (
        "__weakref__", "code", "forward", "frame", "has_arrays", "hooks", "joint_records", "keep_all", "nodes",
        "path_breaks", "readings", "released", "released_count", "shares_nodes", "sink", "thread", "watches_variables",
    )  # fmt: skip

    # A forward accumulator may carry out a whole operation before a node is made; its sink gets what it declines.
    take: Any = None

    def __init__(self, watches_variables: bool = False) -> None:
        self.nodes: list[Node] = []
        self.frame: Any = None  # the user's frame of the last operation and its code, while the record is open
        self.code: Any = None
        self.sink: Any = self.nodes
        self.watches_variables = watches_variables  # trainable variables are sources as soon as they are read
        self.forward = False  # a forward accumulator
        self.keep_all = False  # holds every value, for diagnostics
        self.shares_nodes = False  # holds nodes that belong to other records too
        self.has_arrays = False
        self.released = False  # has given its gradients
        self.released_count = 0  # nodes at the front that were released
        self.hooks: dict[Node, list[Callable[[Any], Any]]] = {}
        self.path_breaks: list[Any] = []  # see `path_breaks.PathBreak`
        self.readings: dict[int, Any] = {}  # VariableReading by the variable's id
        self.joint_records: dict[tuple[int, ...], Any] = {}
        self.thread = threading.get_ident()

    @property
    def members(self) -> tuple[Record, ...]:
        """The record itself; for a :class:`JointRecord`, its records."""
        return (self,)

    def open(self) -> None:
        """Accept new nodes, from this thread."""
        self.sink = self.nodes
        self.thread = threading.get_ident()

    def in_this_thread(self) -> bool:
        """Whether this thread opened the record."""
        return self.thread == threading.get_ident()

    def close(self) -> None:
        """Accept no more nodes."""
        self.sink = None
        self.frame = None  # a frame would keep the user's local variables alive
        for joint in self.joint_records.values():
            joint.frame = None

    def release(self) -> None:
        """Release values; operations, shapes and source lines stay. A node on several records waits for the last."""
        self.released = True
        if not self.has_arrays:
            return  # a number takes no more memory than its node
        for node in self.nodes[self.released_count :] if self.released_count else self.nodes:
            if node.record is self or (node.record and all(r.released for r in node.record.members)):
                node.release()
        self.released_count = 0 if self.shares_nodes else len(self.nodes)

    def clear(self) -> None:
        """Drop everything, so that tensors that outlive the tape hold no part of its record."""
        for node in self.nodes:
            node.parts = NO_PARTS if node.record is self else node.parts
        self.nodes, self.released_count = [], 0
        self.readings, self.path_breaks, self.hooks, self.joint_records = {}, [], {}, {}
        if self.sink is not None:
            self.open()


class _OpenRecords(threading.local):
    """The records that are open in this thread, outermost first, and the trace of a function that is being compiled."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.trace: Any = None
        self.in_branch = False  # of a condition both of whose branches run


open_records = _OpenRecords()

ACTIVE_MODES: list[Any] = []
"""The number of open blocks, in any thread, that change how operations run; fast paths are off while there are any."""
