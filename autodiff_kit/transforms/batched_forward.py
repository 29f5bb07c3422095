"""Forward mode with leading axes: many tangents in one pass over a finished record, for whole Jacobians."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR
from autodiff_kit.core.backward import saved_values
from autodiff_kit.core.numpy_protocol import canonical, unwrap
from autodiff_kit.core.operation import Op, v
from autodiff_kit.core.record import Node
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.transforms.node_tangent import call_jvp, fill_tangents, output_tangent

__all__ = ["batched_forward_pass", "batched_output_tangent"]


def batched_forward_pass(nodes: list[Node], seeds: dict[Node, Any], graph: bool = False) -> dict[Node, Any]:
    """Propagate tangents with one leading axis from some nodes forward through a record.

    Parameters
    ----------
    nodes : list of Node
        In the order in which their operations ran, with their saved values.
    seeds : dict of Node to array
        The initial tangents.
    graph : bool
        Whether the rules run on tensors, so that open tapes record the pass itself.
    """
    tangents: dict[Any, Any] = dict(seeds)
    for node in nodes:
        incoming = tuple([tangents.get(n) for n in node.inputs])
        if node not in tangents and any(t is not None for t in incoming):
            out = batched_output_tangent(node, incoming, graph)
            if out is not None:
                tangents[node] = out
    return tangents


def batched_output_tangent(node: Node, tangents: tuple[Any, ...], graph: bool = False, lead: int = 1) -> Any:
    """The tangent of a node's output, with ``lead`` leading axes, from those of its inputs; None if undefined."""
    op: Op = node.op
    # A user's rule does not support leading axes; and of several inputs, some may have additional axes in front.
    if lead and (op.user_defined or (op.family == "general" and len(tangents) > 1)):
        return _each_leading_entry(node, tangents, lead, graph)
    if not lead or op.jvp is None:
        return output_tangent(node, tangents, graph)
    if op.family == "bilinear" and all(t is not None for t in tangents):
        first, second = tangents  # their products may differ in rank until each has been un-broadcast
        parts = [batched_output_tangent(node, one, graph, lead) for one in ((first, None), (None, second))]
        return parts[0] + parts[1]
    y, *inputs = saved_values(node, graph)
    tangents = _align_tangents(op, tangents, y, inputs, lead)
    return unbroadcast(call_jvp(node, tangents, y, inputs, graph), node.spec, lead)


def _align_tangents(op: Op, tangents: tuple[Any, ...], y: Any, inputs: list[Any], lead: int) -> tuple[Any, ...]:
    """Tangents that a rule can use directly: no leading axis meets an axis of another input, and no tangent is missing.

    Axes of length 1 follow the leading ones; :func:`unbroadcast` removes those that are not needed.
    """
    if op.family == "linear" and len(inputs) > 1:
        tangents = tuple(fill_tangents(tangents, inputs, lead))
    if op.family == "general":
        return tangents
    axes = lead + max(np.ndim(unwrap(x)) for x in (y, *inputs)) + (op.family == "bilinear")
    return tuple(t if t is None else _with_axes(t, axes, lead) for t in tangents)


def _with_axes(t: Any, axes: int, lead: int) -> Any:
    return t.reshape(t.shape[:lead] + (1,) * (axes - t.ndim) + t.shape[lead:]) if t.ndim < axes else t


def _each_leading_entry(node: Node, tangents: tuple[Any, ...], lead: int, graph: bool) -> Any:
    """The tangent for each leading entry separately."""
    count = next(np.shape(unwrap(t))[0] for t in tangents if t is not None)
    parts = [tuple(None if t is None else (t[k] if graph else canonical(t[k])) for t in tangents) for k in range(count)]
    each = [batched_output_tangent(node, part, graph, lead - 1) for part in parts]
    spec = node.spec or SCALAR
    if not each:
        return np.zeros((0, *spec.shape), spec.dtype)
    return v.stack(each, axis=-1 - np.ndim(unwrap(each[0]))) if graph else np.stack([unwrap(e) for e in each])
