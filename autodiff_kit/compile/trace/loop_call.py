"""The loop that a recorded scan becomes: one call of the graph, which runs the graph of a step again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.compile.graph import ComputationGraph
from autodiff_kit.compile.node import GraphNode
from autodiff_kit.compile.topological_order import live_nodes

__all__ = ["LoopCall"]


class LoopCall:
    """The steps of a loop on arrays.

    It takes the first carry, then arrays with one entry for each step, then the values that all steps share. It returns
    the last carry, then the results of all steps, each stacked.

    Attributes
    ----------
    graph, inputs, outputs : ComputationGraph, list of GraphNode, list of GraphNode
        The step: from a carry, entries and shared values to the next carry and results.
    plan : ExecutionPlan
        Runs one step; set by the execution plan that the loop belongs to.
    specs : list of tuple
        Shape and dtype of each array that the loop returns.
    run_native : callable or None
        Runs all steps in native code; set once kernels are ready that need no Python between them. It returns None if
        LAPACK failed or a row number was out of range: the steps then run one by one, and the failing one raises.
    """

    __name__ = "scan"

    def __init__(self, inputs: list[GraphNode], outputs: list[GraphNode], sizes: tuple[int, int], order: range) -> None:
        self.carries, self.entries = sizes
        self.order = order
        # Results that are the carry of the step are stacked as they are, without the step.
        given = {node: k for k, node in enumerate(inputs[: self.carries])}
        places = [(k, given.get(node)) for k, node in enumerate(outputs[self.carries :])]
        self.kept = [(k, place) for k, place in places if place is not None]
        self.computed = [k for k, place in places if place is None]
        self.graph, self.inputs, self.outputs = _extracted(
            inputs, [*outputs[: self.carries], *(outputs[self.carries + k] for k in self.computed)]
        )
        self.specs = [(n.shape, n.dtype) for n in outputs[: self.carries]]
        self.specs += [((len(order), *n.shape), n.dtype) for n in outputs[self.carries :]]
        self.plan: Any = None
        self.run_native: Callable[..., list[Any] | None] | None = None

    def is_random(self) -> bool:
        """Whether a step draws random numbers."""
        return any(n.op == "call" and n.params.is_random() for n in self.graph.nodes)

    def __call__(self, *values: Any) -> tuple[Any, ...]:  # noqa: D102 - described by the class
        stacks = [np.empty(shape, dtype) for shape, dtype in self.specs[self.carries :]]
        last = None if self.run_native is None else self.run_native(values, stacks)
        return (*(self.run_steps(values, stacks) if last is None else last), *stacks)

    def run_steps(self, values: tuple[Any, ...], stacks: list[Any]) -> list[Any]:
        """Run the steps one by one; fills the stacks and returns the last carry."""
        carries, first_shared = self.carries, self.carries + self.entries
        carry, entries, shared = list(values[:carries]), values[carries:first_shared], values[first_shared:]
        kept, computed = (
            [(stacks[k], j) for k, j in self.kept],
            [(stacks[k], carries + j) for j, k in enumerate(self.computed)],
        )
        arrays = [j for j in range(carries) if self.specs[j][0]]
        for j in arrays:  # memory of the loop's own: so a plan may write its outputs to the same memory in each step
            carry[j] = np.array(carry[j], self.specs[j][1], order="C")
        for k in self.order:
            for stack, j in kept:
                stack[k] = carry[j]
            found = self.plan.run([*carry, *[x[k] for x in entries], *shared])
            for stack, j in computed:
                stack[k] = found[j]
            for j in range(carries):
                if j in arrays:
                    np.copyto(carry[j], found[j])
                else:
                    carry[j] = found[j]
            del found
        return carry


def _extracted(
    inputs: list[GraphNode], outputs: list[GraphNode]
) -> tuple[ComputationGraph, list[GraphNode], list[GraphNode]]:
    """A graph of its own for what leads from inputs to outputs."""
    graph = ComputationGraph()
    own = {node: graph.input(node.shape, node.dtype, node.weak) for node in inputs}
    for node in live_nodes(outputs, set(inputs)):
        copy = GraphNode(node.op, tuple(own[a] for a in node.args), node.params, node.shape, node.dtype, node.weak)
        copy.value = node.value
        own[node] = graph.add(copy)
    return graph, [own[node] for node in inputs], [own[node] for node in outputs]
