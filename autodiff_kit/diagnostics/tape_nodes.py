"""What a record tells to those who look: its entries, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

from autodiff_kit.core.backward import SCALAR
from autodiff_kit.core.record import Like, Node, Record
from autodiff_kit.core.source_location import place_of

__all__ = ["TapeNode", "bytes_held", "entries", "held"]


@dataclass(frozen=True)
class TapeNode:
    """One recorded operation, as ``tape.nodes`` gives it.

    Attributes
    ----------
    id : int
        Its place on the tape.
    op : str
        Name of the operation.
    inputs : tuple of int
        Ids of the nodes that it reads; a leaf (a source or a constant) has a negative id.
    shape, dtype : tuple of int, str
        Of the answer.
    cell, line, code : str, int, str
        File or cell, line, and name of the function that ran the operation.
    """

    id: int
    op: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    cell: str
    line: int
    code: str


def entries(record: Record) -> tuple[TapeNode, ...]:
    """The recorded operations, in the order in which they ran; leaves get negative ids, in order of their first use."""
    ids: dict[Node, int] = {node: k for k, node in enumerate(record.nodes)}
    leaves = count(-1, -1)
    for node in record.nodes:
        for n in node.inputs:
            if n is not None and n not in ids:
                ids[n] = next(leaves)
    return tuple(_entry(node, k, ids) for k, node in enumerate(record.nodes))


def _entry(node: Node, place: int, ids: dict[Node, int]) -> TapeNode:
    like = node.like or SCALAR
    cell, line, code = place_of(node.code, node.lasti)
    inputs = tuple(ids[n] for n in node.inputs if n is not None)
    return TapeNode(place, node.op.name, inputs, like.shape, str(like.dtype), cell, line, code)


def held(node: Node) -> list[Any]:
    """What a node holds for the way back; of numbers, which are kept in any case, those that its rules use."""
    if node.saved is None:
        return []
    holds = node.op.holds(tuple(n is not None for n in node.inputs))
    return [v for v, used in zip(node.saved, holds, strict=True) if used and type(v) is not Like]


def bytes_held(record: Record) -> int:
    """Bytes of the arrays and numbers that a record holds for the way back; an array held twice counts once."""
    if record.released:
        return 0
    found = {id(v): v for node in record.nodes for v in held(node)}
    return sum(8 if type(v) in (float, int) else v.nbytes for v in found.values())
