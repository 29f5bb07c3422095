"""Several records that are open at once: tapes inside tapes, tapes inside forward accumulators."""

from __future__ import annotations

import threading
from typing import Any

from autodiff_kit.core.record import Node, Record, open_records

__all__ = ["JointRecord", "common_record", "joint_record", "records_of"]


class JointRecord:
    """Several open records as one, outermost first: a node that is appended goes to each."""

    __slots__ = ("code", "forward_last", "frame", "members")

    take = None

    def __init__(self, records: tuple[Record, ...]) -> None:
        self.members = records
        # Tapes come first: an accumulator computes tangents by operations that follow the new node.
        self.forward_last = sorted(records, key=lambda record: record.forward)
        self.frame: Any = None
        self.code: Any = None

    @property
    def sink(self) -> JointRecord | None:
        """The object to which new nodes are appended; None where all records are closed."""
        return self if any(record.sink is not None for record in self.members) else None

    @property
    def keep_all(self) -> bool:
        """Whether one of the records holds every value."""
        return any(record.keep_all for record in self.members)

    @property
    def has_arrays(self) -> bool:
        """Whether one of the records holds an array."""
        return any(record.has_arrays for record in self.members)

    @has_arrays.setter
    def has_arrays(self, value: bool) -> None:
        for record in self.members:
            record.has_arrays = value

    def in_this_thread(self) -> bool:
        """Whether one of the records was opened by this thread."""
        thread = threading.get_ident()
        return any(record.thread == thread for record in self.members)

    def append(self, node: Node) -> None:
        """Append the node to each record that is open in this thread."""
        thread = threading.get_ident()
        for record in self.forward_last:
            if record.sink is not None and record.thread == thread:
                record.shares_nodes = True
                record.sink.append(node)


def records_of(record: Record | JointRecord | None) -> tuple[Record, ...]:
    """The records that a node belongs to."""
    return () if record is None else record.members


def joint_record(*parts: Record | JointRecord | None, paused: bool = False) -> Record | JointRecord | None:
    """The open records among ``parts`` as one record, with ``paused`` also those that are paused; None for none."""
    order = open_records.records
    found = {id(r): r for part in parts for r in records_of(part) if r.sink is not None or (paused and r in order)}
    if len(found) < 2:
        return next(iter(found.values()), None)
    live = tuple(sorted(found.values(), key=lambda r: order.index(r) if r in order else -1))
    key = tuple(map(id, live))
    joint: JointRecord | None = live[-1].joint_records.get(key)
    if joint is None:
        joint = JointRecord(live)
        for record in live:  # whichever closes last lets go of the frame, which would keep the tapes alive
            record.joint_records[key] = joint
    return joint


def common_record(nodes: tuple[Node | None, ...]) -> tuple[Record | JointRecord | None, tuple[Node | None, ...]]:
    """The record of an operation on ``nodes`` of several records, and these nodes, with None for those not on it."""
    record = joint_record(*[node.record for node in nodes if node is not None])
    if record is None:
        return None, nodes
    live = {id(r) for r in record.members}
    return record, tuple(
        node if node is not None and any(id(r) in live for r in records_of(node.record)) else None for node in nodes
    )
