"""Places where a followed value left the record: kept so that a gradient of None can be explained."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.record import Node, open_records
from autodiff_kit.core.source_location import own_frame

__all__ = ["PathBreak", "mark_path_break"]


class PathBreak(NamedTuple):
    """An event of a followed value that added no node to the record.

    Attributes
    ----------
    kind : str
        "left" (it became a plain number or array), "copied" (by ``ak.constant``), "outside" (a function with a
        gradient of its own used it, and it is none of its arguments), "decided" (the condition of a branch), "chose"
        (the condition or index of an operation), "stopped" (``stop_gradient``), "assigned" (to a variable), or
        "overwritten" (a variable whose value was replaced).
    what : Node or Variable
        The node of the value, or the variable itself.
    variable : Variable or None
        The variable that was assigned to.
    at : int
        The number of nodes on the record at that time.
    code, lasti : code object, int
        The user's instruction.
    """

    kind: str
    what: Any
    variable: Any
    at: int
    code: Any
    lasti: int


def mark_path_break(kind: str, what: Any, variable: Any = None) -> None:
    """Note a break on the open records of a node; for a variable, on all records that this thread has open."""
    frame = None
    record: Any  # accumulators say which breaks they mark
    for record in records_of(what.record) if isinstance(what, Node) else open_records.records:
        counts = kind != "overwritten" or record.path_breaks  # without a break there is nothing to overwrite
        counts = counts and (not record.forward or record.marks(kind, what))
        if counts and record.sink is not None and record.in_this_thread():
            frame = frame or own_frame(sys._getframe(1))
            record.path_breaks.append(PathBreak(kind, what, variable, len(record.nodes), frame.f_code, frame.f_lasti))
