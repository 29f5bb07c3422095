"""The kit's own tape as a :class:`~autodiff_kit.diagnostics.recorded_program.RecordedProgram`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR, ArraySpec
from autodiff_kit.core.backward import input_cotangents
from autodiff_kit.core.numpy_protocol import Value, unwrap
from autodiff_kit.core.record import Node
from autodiff_kit.core.source_location import UNKNOWN_LOCATION, location_of
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.tracer import Tracer
from autodiff_kit.diagnostics.gradient_explanation import DependencyAnalysis
from autodiff_kit.diagnostics.node_cost import node_flops
from autodiff_kit.diagnostics.recorded_program import Contribution, RecordedProgram
from autodiff_kit.diagnostics.tape_nodes import TapeNode, saved_values
from autodiff_kit.errors import TapeError
from autodiff_kit.ops.row_gradient import RowGradient
from autodiff_kit.pytree import flatten

__all__ = ["TapeProgram"]


class TapeProgram(RecordedProgram):
    """What a tape has recorded so far.

    Parameters
    ----------
    tape : GradientTape
        Recording, closed, or released after its gradient; a released tape still has everything but the arrays.
    """

    library = "autodiff_kit"

    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape
        self._nodes = list(tape._record.nodes)
        self._ids: dict[Node, int] = {node: k for k, node in enumerate(self._nodes)}
        self._sources = _find_sources(tape, self._nodes, self._ids)
        self._ids |= {node: -1 - k for k, node in enumerate(self._sources)}
        self._values: dict[Node, Any] | None = None
        self._held: list[int] | None = None

    @property
    def nodes(self) -> Sequence[TapeNode]:
        """The operations in execution order."""
        return [self._describe(node, node.op.name) for node in self._nodes]

    @property
    def leaves(self) -> Sequence[TapeNode]:
        """The inputs that no operation computed, in the order of their first use."""
        return [self._describe(node, kind) for node, (kind, _, _) in self._sources.items()]

    def _describe(self, node: Node, op: str) -> TapeNode:
        like, node_id = node.spec or SCALAR, self._ids[node]
        own = node_id >= 0  # a source may be an operation of another tape
        inputs = tuple(self._ids[n] for n in node.inputs if n is not None) if own else ()
        place = location_of(node.code, node.lasti) if own else UNKNOWN_LOCATION
        return TapeNode(node_id, op, inputs, like.shape, str(like.dtype), *place)

    def _node(self, node_id: int) -> Node:
        return self._nodes[node_id] if node_id >= 0 else list(self._sources)[-1 - node_id]

    def id_of(self, value: Any) -> int | None:
        """The id of a tensor or variable; None if the tape does not know it."""
        node = self.tape._node_of(value) if isinstance(value, Value) else None
        return None if node is None else self._ids.get(node)

    def name(self, node_id: int) -> str:
        """The name that a tensor or variable was given."""
        node = self._node(node_id)
        return self._sources[node][1] if node_id < 0 else _given_name(node)

    def value(self, node_id: int) -> Any:
        """A value, if the tape still has it; inside of ``ak.vmap`` it stands for many and is None."""
        node = self._node(node_id)
        if self._values is None:
            sources = {node: value for node, (_, _, value) in self._sources.items() if value is not None}
            self._values = _known_values(self._nodes) | sources
        found = node._value if type(node) is Tensor else self._values.get(node)
        return None if isinstance(found, Tracer) else found

    def held_bytes(self, node_id: int) -> int:
        """Bytes that a node keeps and no earlier node keeps."""
        if self._held is None:
            counted: set[int] = set()
            if self.tape._record.released:  # numbers still exist, but no reverse pass will use them
                counted = {id(v) for node in self._nodes for v in saved_values(node)}
            self._held = [_newly_kept_bytes(node, counted) for node in self._nodes]
        return self._held[node_id] if node_id >= 0 else 0

    def flops(self, target: Any = None) -> Sequence[tuple[int, int]]:
        """Operations of each node, from the shapes alone."""
        read = {n for node in self._nodes for n in node.inputs}
        ends = (
            {node for node in self._nodes if node not in read}
            if target is None
            else {self.tape._node_of(value) for value in flatten(target)}
        )
        return node_flops(self._nodes, ends)

    def contributions(self, target: Any, seed: Any = None) -> Sequence[Contribution]:
        """The parts of all cotangents, in the order of the backward pass."""
        end = self.tape._node_of(target) if isinstance(target, Value) else None
        if end is None or end not in self._ids:
            raise TapeError("this value is not on the tape; watch it, or compute it inside the block")
        like = end.spec or SCALAR
        start = np.ones(like.shape, like.dtype) if seed is None else np.asarray(unwrap(seed), like.dtype)
        known: dict[Node, Any] = {end: start}
        found = [Contribution(None, self._ids[end], start)]
        for node in reversed(self._nodes):
            if node not in known:
                continue
            for n, part in input_cotangents(node, known[node]):
                dense = part.numpy() if type(part) is RowGradient else part
                known[n] = dense if n not in known else known[n] + dense
                found.append(Contribution(self._ids[node], self._ids[n], np.asarray(dense)))
        return found

    def explain_sources(self, target: Any, sources: Sequence[Any], frame: Any) -> list[Any]:
        """An explanation for each source."""
        analysis = DependencyAnalysis(self.tape, flatten(target), frame)
        return [analysis.explain(source) for source in sources]


def _find_sources(tape: GradientTape, nodes: list[Node], ids: dict[Node, int]) -> dict[Node, tuple[str, str, Any]]:
    """Kind, name and value of the inputs that no operation computed, in the order of ``tape.nodes``."""
    known: dict[Node, tuple[str, str, Any]] = {}
    for tensor in tape._watched:
        if tensor.node is not None:
            known[tensor.node] = ("watched", tensor.name or "", tensor._value)
    for variable, first, _ in tape._record.readings.values():
        if first.node is not None:
            known[first.node] = ("variable", variable.name or "", first._value)
    read = [n for node in nodes for n in node.inputs if n is not None and n not in ids]
    return {node: known.get(node, ("watched", _given_name(node), None)) for node in dict.fromkeys([*read, *known])}


def _given_name(node: Node) -> str:
    return str(node.get_extra("name") or "")


def _known_values(nodes: list[Node]) -> dict[Node, Any]:
    """Outputs that the tape still has: numbers, and arrays that a reverse rule needs."""
    found: dict[Node, Any] = {}
    for node in nodes:
        saved = node.saved
        if saved is None:
            continue
        inputs = node.inputs if node.op.residual is None else ()  # a residual is saved in place of the inputs
        for n, value in zip((node, *inputs), saved, strict=False):
            if n is not None and type(value) is not ArraySpec:
                found.setdefault(n, value)
    return found


def _newly_kept_bytes(node: Node, counted: set[int]) -> int:
    """Bytes that a node keeps and no earlier node keeps."""
    own = {id(v): v for v in saved_values(node) if id(v) not in counted}
    counted.update(own)
    return sum(8 if type(v) in (float, int) else v.nbytes for v in own.values())
