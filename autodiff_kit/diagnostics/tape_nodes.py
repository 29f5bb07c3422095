"""The nodes of a tape as plain data (``tape.nodes``), and the bytes that it keeps for the reverse pass."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from autodiff_kit.core.array_spec import SCALAR, ArraySpec
from autodiff_kit.core.record import Node, Record
from autodiff_kit.core.source_location import location_of
from autodiff_kit.core.tape import GradientTape, add_tape_method

__all__ = ["TapeNode", "list_nodes", "saved_bytes", "saved_values"]


@dataclass(frozen=True)
class TapeNode:
    """One recorded operation, as listed in ``tape.nodes``, or a leaf of a recorded program.

    Attributes
    ----------
    id : int
        The position of an operation on the tape; -1, -2, … for leaves, in the order of their first use.
    op : str
        Name of the operation; of a leaf what it is, such as "variable", "watched", "parameter" or "input".
    inputs : tuple of int
        Ids of the nodes of its inputs; a leaf (a watched tensor or a variable) has a negative id.
    shape, dtype : tuple of int, str
        Of the output.
    cell, line, code : str, int, str
        File or cell, line, and name of the function that ran the operation; "", 0 and "" for a leaf.
    """

    id: int
    op: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    cell: str
    line: int
    code: str


def list_nodes(record: Record) -> tuple[TapeNode, ...]:
    """The recorded operations in execution order; leaves get negative ids, in the order of their first use."""
    ids: dict[Node, int] = {node: k for k, node in enumerate(record.nodes)}
    leaves = count(-1, -1)
    for node in record.nodes:
        for n in node.inputs:
            if n is not None and n not in ids:
                ids[n] = next(leaves)
    return tuple(_describe_node(node, k, ids) for k, node in enumerate(record.nodes))


def _describe_node(node: Node, position: int, ids: dict[Node, int]) -> TapeNode:
    spec = node.spec or SCALAR
    cell, line, code = location_of(node.code, node.lasti)
    inputs = tuple(ids[n] for n in node.inputs if n is not None)
    return TapeNode(position, node.op.name, inputs, spec.shape, str(spec.dtype), cell, line, code)


def saved_values(node: Node) -> list[Any]:
    """The values that a node's reverse rules need; a Python number that no rule needs is omitted."""
    if node.saved is None:
        return []
    used_flags = node.op.needed_values(tuple(n is not None for n in node.inputs))
    return [v for v, used in zip(node.saved, used_flags, strict=True) if used and type(v) is not ArraySpec]


def saved_bytes(record: Record) -> int:
    """Bytes of all values that a record keeps for the reverse pass; an array that is kept twice counts once."""
    if record.released:
        return 0
    found = {id(v): v for node in record.nodes for v in saved_values(node)}
    return sum(8 if type(v) in (float, int) else v.nbytes for v in found.values())


def _nodes(self: GradientTape) -> tuple[TapeNode, ...]:
    """The recorded operations, in the order in which they ran; they outlive the arrays."""
    return list_nodes(self._record)


def _nbytes(self: GradientTape) -> int:
    """Bytes of the arrays and numbers that the record holds for the backward pass; an array held twice counts once."""
    return saved_bytes(self._record)


add_tape_method("nodes", property(_nodes))
add_tape_method("nbytes", property(_nbytes))
