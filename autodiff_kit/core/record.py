"""What a tape writes: nodes, and the records that hold them.

A :class:`Node` is the identity of one computed value: who made it, from which nodes, and what its derivative needs. It
is apart from the tensor, so that a record can let go of an array that the user still holds. A scalar weighs nothing:
its tensor *is* its node, which saves the eager tape an object for each operation.

A :class:`Record` is a list of nodes in the order in which they ran; a tape, or a forward accumulator, owns one. Tensors
point to their node, nodes to their record, and no record points back to its tape: so a tape that nobody holds any more
empties its record, however many tensors of its block live on.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_kit.core.source_location import Place, place_of, user_frame

__all__ = [
    "NOTHING",
    "UNUSUAL",
    "ArrayNode",
    "Like",
    "Mark",
    "Node",
    "Reading",
    "Record",
    "Several",
    "join",
    "leaf",
    "members",
    "note",
    "open_records",
    "unify",
]


class Like(NamedTuple):
    """Shape and dtype of a value that is not held."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @staticmethod
    def of(value: Any) -> Like:
        """Shape and dtype of an array; so made it costs half of what the constructor takes."""
        return _tuple(Like, (value.shape, value.dtype))  # type: ignore[no-any-return]


_tuple: Any = tuple.__new__


class Node:
    """One entry of a record, or a leaf of it (``op`` is None).

    ``parts`` is ``(*inputs, answer, *values)``, one tuple because the eager tape makes one for each operation: the
    nodes that were read (None: a constant), then the values where the derivative needs them, :class:`Like` where a
    shape is enough; an answer of None says that the values were let go. ``like`` is None for a Python float. ``cot``
    is the cotangent while a sweep is under way. ``code`` and ``lasti`` are the place in the user's code; the line is
    worked out when somebody asks.
    """

    __slots__ = ("code", "cot", "lasti", "op", "parts", "record", "rest")

    op: Any
    parts: tuple[Any, ...]
    record: Record | Several | None
    cot: Any
    code: Any
    lasti: int
    rest: dict[str, Any]  # what few nodes have: parameters, tangents, a name; every slot more costs each operation
    like: Like | None = None

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        """The nodes that the operation read; None for a constant."""
        return self.parts[: len(self.parts) // 2]

    @property
    def saved(self) -> tuple[Any, ...] | None:
        """Answer and inputs as far as they are held; None where they were let go."""
        saved = self.parts[len(self.parts) // 2 :]
        return None if saved[0] is None else saved

    def get(self, name: str, default: Any = None) -> Any:
        """Something that few nodes have."""
        return self.rest.get(name, default) if hasattr(self, "rest") else default

    def put(self, name: str, value: Any) -> None:
        """Note something that few nodes have."""
        if not hasattr(self, "rest"):
            self.rest = {}
        self.rest[name] = value

    @property
    def params(self) -> dict[str, Any]:
        """What the operation was told besides its inputs."""
        return self.get("params") or {}

    def let_go(self) -> None:
        """Keep what was read, and of constants the shape; drop every value."""
        parts = self.parts
        half = len(parts) // 2
        if parts[half] is None:
            return
        if half == 1:  # an operation is recorded because an input is followed
            self.parts = (parts[0], None, None)
        elif half == 2:
            n, m, _, a, b = parts
            self.parts = (n, m, None, _like(a) if n is None else None, _like(b) if m is None else None)
        else:
            kept = [None if n is not None else _like(x) for n, x in zip(parts, parts[half + 1 :], strict=False)]
            self.parts = (*parts[:half], None, *kept)


def _like(value: Any) -> Any:
    """What may stay of a constant: a number, or the shape of an array."""
    return value if type(value) in (float, int, Like) else Like.of(value)


class ArrayNode(Node):
    """The entry of an array, which is apart from its tensor; ``like`` is its shape and dtype."""

    __slots__ = ("like",)
    like: Like


class Reading(NamedTuple):
    """A variable as a record knows it: the tensor of its first reading, whose node stands for it, and of its last."""

    variable: Any
    first: Any
    latest: Any


class Mark(NamedTuple):
    """Something that happened to a followed value beside the record; kept for those who ask why a gradient is None.

    ``kind`` is "left" (it became a plain number or array), "decided" (a branch), "stopped" (``stop_gradient``) or
    "assigned" (to ``variable``); ``what`` is the value's node, or the variable itself; ``at`` is how many nodes the
    record had by then.
    """

    kind: str
    what: Any
    variable: Any
    at: int
    code: Any
    lasti: int

    @property
    def place(self) -> Place:
        """The line on which it happened."""
        return place_of(self.code, self.lasti)


class Record:
    """Nodes in the order in which they ran. ``page`` is None while the record is closed or paused."""

    __slots__ = (
        "__weakref__", "arrays", "automatic", "code", "forward", "frame", "gone", "hooks", "joined", "keep", "leaves",
        "marks", "mixed", "nodes", "page", "released", "thread",
    )  # fmt: skip

    carry: Any = None  # how an accumulator takes an operation, with no node to write down

    def __init__(self, automatic: bool = False) -> None:
        self.nodes: list[Node] = []
        self.frame: Any = None  # where the last operation ran, while the record is open, and its code
        self.code: Any = None
        self.page: Any = self.nodes  # what takes new nodes; None while the record is closed
        self.automatic = automatic  # watches trainable variables by itself
        self.forward = False  # carries tangents along instead of keeping nodes
        self.keep = False  # saves every value, for those who want to look
        self.mixed = False  # holds nodes that belong to other records too
        self.arrays = False  # holds something larger than numbers
        self.released = False  # has given its gradients and needs no values any more
        self.gone = 0  # nodes that were let go of
        self.hooks: dict[Node, list[Callable[[Any], Any]]] = {}
        self.marks: list[Mark] = []
        self.leaves: dict[int, Reading] = {}  # by the variable's id
        self.joined: dict[tuple[int, ...], Several] = {}
        self.thread = threading.get_ident()

    def open(self) -> None:
        """Let nodes in, from this thread."""
        self.page = self.nodes
        self.thread = threading.get_ident()

    def here(self) -> bool:
        """Whether this thread is the one that opened the record."""
        return self.thread == threading.get_ident()

    def close(self) -> None:
        """Keep what is there and let nothing in."""
        self.page = None
        self.frame = None  # it would hold the locals of whoever computed
        for several in self.joined.values():
            several.frame = None

    def release(self) -> None:
        """Let go of values; operations, shapes and places stay. A node on several records waits for the last."""
        self.released = True
        if not self.arrays:
            return  # numbers weigh no more than the skeleton
        for node in self.nodes[self.gone :] if self.gone else self.nodes:
            if node.record is self or all(r.released for r in members(node.record)):
                node.let_go()
        self.gone = 0 if self.mixed else len(self.nodes)

    def forget(self) -> None:
        """Drop everything, so that tensors which outlive the tape hold nothing of it."""
        self.nodes = []
        self.gone = 0
        self.leaves = {}
        self.marks = []
        self.hooks = {}
        self.joined = {}
        if self.page is not None:
            self.open()


class Several:
    """Records that stand open together: tapes inside tapes, tapes inside accumulators. Outermost first."""

    __slots__ = ("code", "frame", "order", "records")

    carry = None

    def __init__(self, records: tuple[Record, ...]) -> None:
        self.records = records
        # Tangents are pushed after the tapes have written a node: what they compute is later than it.
        self.order = sorted(records, key=lambda record: record.forward)
        self.frame: Any = None
        self.code: Any = None

    @property
    def page(self) -> Several:
        """What takes new nodes."""
        return self

    @property
    def keep(self) -> bool:
        """Whether one of the records wants every value."""
        return any(record.keep for record in self.records)

    @property
    def arrays(self) -> bool:
        """Whether one of the records holds something larger than numbers."""
        return any(record.arrays for record in self.records)

    @arrays.setter
    def arrays(self, value: bool) -> None:
        for record in self.records:
            record.arrays = value

    def here(self) -> bool:
        """Whether one of the records was opened by this thread."""
        thread = threading.get_ident()
        return any(record.thread == thread for record in self.records)

    def append(self, node: Node) -> None:
        """Write the node into each record that is open in this thread."""
        thread = threading.get_ident()
        for record in self.order:
            if record.page is not None and record.thread == thread:
                record.mixed = True
                record.page.append(node)


UNUSUAL: list[Any] = []
"""Open blocks of any thread that change how operations run; compiled functions look closer while there are any."""


class _Open(threading.local):
    """Records that are open in this thread, outermost first."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.recorder: Any = None  # a compiled function that is being recorded in this thread


open_records = _Open()


def members(record: Record | Several | None) -> tuple[Record, ...]:
    """The records that a node belongs to."""
    if record is None:
        return ()
    return record.records if isinstance(record, Several) else (record,)


def join(*parts: Record | Several | None) -> Record | Several | None:
    """One thing to append to for all the open records among ``parts``; None where none is open."""
    found = {id(r): r for part in parts for r in members(part) if r.page is not None}
    if len(found) < 2:
        return next(iter(found.values()), None)
    order = open_records.records
    live = tuple(sorted(found.values(), key=lambda r: order.index(r) if r in order else -1))
    key = tuple(map(id, live))
    cache = live[-1].joined
    if key not in cache:
        cache[key] = Several(live)
    return cache[key]


def unify(nodes: tuple[Node | None, ...]) -> tuple[Record | Several | None, tuple[Node | None, ...]]:
    """The record for an operation on ``nodes``, and the nodes that take part in it."""
    records = [node.record for node in nodes if node is not None]
    first = records[0] if records else None
    if all(record is first for record in records):  # nearly always
        return (first, nodes) if first is not None and first.page is not None else (None, nodes)
    record = join(*(node.record for node in nodes if node is not None))
    if record is None:
        return None, nodes
    live = {id(r) for r in members(record)}
    return record, tuple(
        node if node is not None and any(id(r) in live for r in members(node.record)) else None for node in nodes
    )


def note(kind: str, what: Any, variable: Any = None) -> None:
    """Put a mark on the open records of a node, or for a variable on all that this thread has open."""
    frame = None
    for record in members(what.record) if isinstance(what, Node) else open_records.records:
        if record.page is not None and record.here() and not record.forward:
            frame = frame or user_frame(sys._getframe(1))
            record.marks.append(Mark(kind, what, variable, len(record.nodes), frame.f_code, frame.f_lasti))


NOTHING = (None,)
"""The parts of a node that reads nothing and holds nothing."""


def leaf(node: Node, record: Record | Several) -> Node:
    """Make a node a leaf, which nothing on the record made: a watched tensor or a variable."""
    node.op, node.parts = None, NOTHING
    node.record, node.cot, node.code, node.lasti = record, None, None, 0
    return node
