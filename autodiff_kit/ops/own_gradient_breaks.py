"""Marks of a function with a gradient of its own: what it uses from outside is lost, what leaves inside of it is not.

The rule of such a function gives gradients for its arguments alone. So their numbers may leave in it, as in a call of
SciPy; a followed value that is none of its arguments gets nothing, although the function computes with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.path_breaks import PathBreak
from autodiff_kit.core.record import Node, Record, open_records

__all__ = ["run_with_own_gradient"]


def run_with_own_gradient(f: Callable[..., Any], run: Callable[[], Any], inputs: set[Node | None]) -> Any:
    """The result of ``run()``, which calls ``f`` on values with these nodes and returns ``(value, *rules)``."""
    # In a vmap, tapes outside follow the values of all examples, which are no arguments of the function.
    records: list[Any] = [r for r in open_records.records if r.sink is (r if r.forward else r.nodes)]
    breaks = [len(record.path_breaks) for record in records]
    notes = [record.note_operations() if record.forward else _operations_from_now(record) for record in records]
    steps: list[Any] = []
    try:
        result = run()
    finally:
        steps += [noted() for noted in notes]
    value = result[0] if isinstance(result, tuple) and result else None
    for record, first, operations in zip(records, breaks, steps, strict=True):
        inside, outside = _sorted_by_origin(operations, inputs)
        record.path_breaks[first:] = [m for m in record.path_breaks[first:] if m.kind != "left" or m.what not in inside]
        node = getattr(value, "node", None)
        if node is not None and node not in inside and record in records_of(node.record):
            node, code, lasti = outside.get(node, (node, None, 0))
            code = code or getattr(f, "__code__", None)  # an accumulator knows no lines
            record.path_breaks.append(PathBreak("outside", node, None, len(record.nodes), code, lasti))
    return result


def _operations_from_now(record: Record) -> Callable[[], list[Any]]:
    """A function that gives the nodes of the operations from now on, each with the nodes that it read."""
    first = len(record.nodes)
    return lambda: [(node, node.inputs) for node in record.nodes[first:]]


def _sorted_by_origin(operations: list[Any], inputs: set[Node | None]) -> tuple[set[Any], dict[Any, Any]]:
    """The nodes that were computed from the arguments alone; and the others, with a node from outside and its reader.

    ``operations`` are nodes and the nodes that they read, in the order in which they ran.
    """
    inside, outside = set(inputs), dict[Any, Any]()
    for node, read in operations:
        strange = next((n for n in read if n is not None and n not in inside), None)
        if strange is None:
            inside.add(node)
        else:
            outside[node] = outside.get(strange, (strange, node.code, node.lasti))
    return inside, outside
