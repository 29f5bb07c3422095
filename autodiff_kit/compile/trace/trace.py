"""What tracing a function gives: its graph, and what the nodes are for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autodiff_kit.compile.graph import ComputationGraph
from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.trace.input_sources import ArgumentSource, AttributeSource, OptimizerSlotSource
from autodiff_kit.core.variable import Variable
from autodiff_kit.pytree import unflatten_like

__all__ = ["OutputLeaf", "StepUpdate", "Trace"]


@dataclass
class OutputLeaf:
    """One leaf of the return value: a node converted to ``kind``, or an object that is the same at each call."""

    kind: str  # "tensor", "array", "number", "fixed"
    node: GraphNode | None = None
    fixed: Any = None


@dataclass
class StepUpdate:
    """What the last step of an optimizer added to a variable: to all of it, or to the rows ``ids``."""

    optimizer: Any
    variable: Variable
    node: GraphNode
    ids: GraphNode | None = None

    @property
    def nodes(self) -> list[GraphNode]:
        """The nodes that a call must compute for it."""
        return [self.node] if self.ids is None else [self.node, self.ids]


@dataclass
class Trace:
    """The result of tracing: the graph, its inputs and outputs, and the assignments to variables and slots."""

    graph: ComputationGraph
    inputs: list[tuple[ArgumentSource | AttributeSource | OptimizerSlotSource, GraphNode]]
    leaves: list[OutputLeaf]
    structure: Any  # the return value without its leaves
    assignments: list[tuple[AttributeSource | OptimizerSlotSource, GraphNode]]
    updates: list[StepUpdate]
    equal_slots: list[list[OptimizerSlotSource]] = field(default_factory=list)  # while equal, they share an input

    @property
    def returned_nodes(self) -> list[GraphNode]:
        """The nodes among the leaves of the return value."""
        return [leaf.node for leaf in self.leaves if leaf.node is not None]

    @property
    def outputs(self) -> list[GraphNode]:
        """All nodes that a call must compute: returned, assigned, and updates of optimizer steps."""
        updates = [node for update in self.updates for node in update.nodes]
        return [*self.returned_nodes, *(node for _, node in self.assignments), *updates]

    def pack(self, parts: list[Any]) -> Any:
        """The return value with the given leaves."""
        return unflatten_like(self.structure, parts)
