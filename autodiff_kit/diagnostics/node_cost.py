"""Floating-point operations of a tape's nodes: forward, and in the reverse pass from given targets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR, ArraySpec
from autodiff_kit.core.operation import Op
from autodiff_kit.core.record import Node
from autodiff_kit.diagnostics.operation_cost import backward_rule_flops, cost_parameters, forward_flops

__all__ = ["OperationCosts", "backward_flops", "cost_key", "node_flops"]


def node_flops(nodes: list[Node], targets: set[Any]) -> list[tuple[int, int]]:
    """Operations of each node of a tape, forward and in the reverse pass from these targets."""
    known = OperationCosts()
    costs = [known[cost_key(node)] for node in nodes]
    backward = backward_flops(nodes, targets, [back for _, back in costs])
    return [(forward, back) for (forward, _), back in zip(costs, backward, strict=True)]


def backward_flops(nodes: list[Node], targets: set[Any], rules: list[int]) -> list[int]:
    """Operations of the reverse pass for each node: those of its rules, and additions to cotangents of its inputs.

    Parameters
    ----------
    nodes : list of Node
        In execution order.
    targets : set of Node
        What is differentiated; nodes that no target depends on cost nothing.
    rules : list of int
        Operations of each node's rules alone.
    """
    counts = []
    reached = set(targets)
    for node, rule in zip(reversed(nodes), reversed(rules), strict=True):
        no_gradient = node.op.vjps is None and node.op.vjp_all is None
        if no_gradient or node not in reached:
            counts.append(0)
            continue
        count = rule
        for n in node.inputs:
            if n is not None:
                count += _size(n.spec or SCALAR) if n in reached else 0
                reached.add(n)
        counts.append(count)
    return counts[::-1]


CostKey = tuple[Op, tuple[ArraySpec, ...], tuple[int, ...], tuple[tuple[str, Any], ...]]


class OperationCosts(dict[CostKey, tuple[int, int]]):
    """A cache of forward and backward operations by :func:`cost_key`: equal operations are counted once."""

    def __missing__(self, key: CostKey) -> tuple[int, int]:
        op, likes, asked, params = key
        values = [
            np.broadcast_to(np.zeros((), like.dtype), like.shape) for like in likes
        ]  # of the right shape, without memory
        self[key] = (
            forward_flops(op, *values, **dict(params)),
            backward_rule_flops(op, *values, asked=asked, **dict(params)),
        )
        return self[key]


def cost_key(node: Node) -> CostKey:
    """The properties that determine the cost of a node: operation, shapes, differentiated inputs, parameters."""
    inputs = node.inputs
    saved = node.parts[len(inputs) + 1 :]
    likes = [_shape_and_dtype(x) if n is None else n.spec or SCALAR for n, x in zip(inputs, saved, strict=True)]
    asked = tuple(k for k, n in enumerate(inputs) if n is not None)
    return node.op, (node.spec or SCALAR, *likes), asked, tuple(cost_parameters(node.op, node.params).items())


def _shape_and_dtype(value: Any) -> ArraySpec:
    return SCALAR if type(value) in (float, int) else ArraySpec(value.shape, value.dtype)


def _size(like: ArraySpec) -> int:
    return math.prod(like.shape)
