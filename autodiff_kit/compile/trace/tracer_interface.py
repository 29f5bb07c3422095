"""The interface of a tracer that symbolic arrays and the tracing rules of NumPy functions use."""

from __future__ import annotations

from typing import Any, Protocol

from autodiff_kit.compile.graph import ComputationGraph
from autodiff_kit.compile.node import GraphNode

__all__ = ["TracerInterface"]


class TracerInterface(Protocol):
    """The methods of a tracer that its symbolic arrays use."""

    graph: ComputationGraph
    depth: int  # in loops inside loops; 0 outside of them

    def node(self, value: Any) -> GraphNode:
        """The node of a symbolic value, or a constant node for any other value."""

    def call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Record a call of a function as one opaque call."""
