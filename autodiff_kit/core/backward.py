"""The backward pass: from the last node of a record to the first, each node passes cotangents to its inputs.

:func:`backward` is the whole algorithm. For each node, last first: take the node's cotangent, call the operation's
reverse rules (:func:`input_cotangents`), undo broadcasting (:func:`unbroadcast`), and add the result to the cotangent
of each input. :func:`~autodiff_kit.core.fast_backward.fast_backward` computes the same for ordinary gradients in a
longer and faster function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.hooks import apply_hooks
from autodiff_kit.core.modes import modes, zero_where_zero
from autodiff_kit.core.operation import Op
from autodiff_kit.core.record import Node
from autodiff_kit.core.sparse_gradient import SparseGradient, entries_of, sum_with
from autodiff_kit.core.tensor import wrap
from autodiff_kit.core.tracer import call_traced
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.core.vjp_of_all_inputs import all_input_cotangents
from autodiff_kit.errors import StructureError, UnknownGradientError

__all__ = ["apply_vjp", "backward", "input_cotangents", "reachable", "saved_values"]


def backward(
    nodes: list[Node],
    *,
    lead: int = 0,
    graph: bool = False,
    through: set[Node] | None = None,
    keep: set[Node] | None = None,
    hooks: dict[Node, list[Callable[[Any], Any]]] | None = None,
) -> None:
    """Propagate the cotangents that are set on some nodes back to all nodes on which they depend.

    Parameters
    ----------
    nodes : list of Node
        In the order in which their operations ran.
    lead : int
        Leading axes of the cotangents: one for a whole Jacobian.
    graph : bool
        Whether the rules run on tensors, so that open tapes record the backward pass itself.
    through : set of Node, optional
        Nodes that the pass visits; by default all.
    keep : set of Node, optional
        Nodes whose cotangent stays set, so that the caller can read it.
    hooks : dict, optional
        Functions that receive a node's cotangent and may replace it.
    """
    own: dict[Node, Any] = {}
    for node in reversed(nodes):
        g = node.cotangent
        if g is None:
            continue
        own.pop(node, None)
        if keep is None or node not in keep:
            node.cotangent = None  # leaves are not among ``nodes``, and keep theirs
        if through is not None and node not in through:
            continue
        if hooks and node in hooks:
            g = apply_hooks(hooks[node], g, node, lead)
            node.cotangent = g if keep is not None and node in keep else None
        entries = None if lead or graph or node.op.sparse_vjp is None else entries_of(node, g, modes.check_cotangent)
        parts = input_cotangents(node, g, lead, graph, through) if entries is None else [(node.parts[0], entries)]
        for n, part in parts:
            if modes.check_cotangent is not None:
                modes.check_cotangent(nodes, node, g, n, part)
            n.cotangent = sum_with(part, n, own)


def reachable(nodes: list[Node], sources: set[Node]) -> set[Node]:
    """The nodes that depend on one of the sources, and the sources themselves."""
    found = set(sources)
    for node in nodes:
        if any(n in found for n in node.inputs if n is not None):
            found.add(node)
    return found


def input_cotangents(
    node: Node, g: Any, lead: int = 0, graph: bool = False, through: set[Node] | None = None, first: int = 0
) -> list[tuple[Node, Any]]:
    """The cotangents that the rules of one node give its inputs: pairs of input and cotangent.

    With ``first``, only for the inputs from that index on, where the fast pass has done those before it.
    """
    op, params = node.op, node.params
    if op.vjps is None and op.vjp_all is None:
        if op.family != "nondifferentiable":
            raise UnknownGradientError(
                f"operation {op.name!r} has no gradient. Register one with @ak.register_gradient and use "
                f"ak.gradient_override_map({{{op.key!r}: name}}), or stop the path with ak.stop_gradient."
            )
        return []
    saved = saved_values(node, graph, g)
    g = np.float64(g) if type(g) is float else g
    together = op.vjps is None or (op.vjp_all is not None and first == 0 and None not in node.inputs)
    all_parts = all_input_cotangents(op, node, g, saved, graph, lead) if together else None
    found = []
    for k, n in enumerate(node.inputs):
        if n is None or k < first or not (through is None or n in through) or (n.spec and n.spec.dtype.char == "?"):
            continue  # gradients end at booleans, and rules may need a negative or a sign, which these do not have
        part = apply_vjp(op, k, g, saved, params) if all_parts is None else all_parts[k]
        if part is not None:  # None: nothing to add, such as for a constant in a user's rule
            found.append((n, part if isinstance(part, SparseGradient) else unbroadcast(part, n.spec, lead)))
    return found


def apply_vjp(op: Op, k: int, g: Any, saved: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """What the reverse rule of input ``k`` gives, under the modes of this thread: ``rule(g, *saved, **params)``."""
    part = call_traced(op.vjps[k], (g, *saved), params)  # type: ignore[index]
    return zero_where_zero(part, g) if modes.zero_absorbs and op.family == "elementwise" else part


def saved_values(node: Node, graph: bool, g: Any = None) -> tuple[Any, ...]:
    """The output and inputs of a node, as rules take them, with NumPy's numbers, which give inf for 1/0. In a recorded
    pass they are tensors with their nodes, and numbers have the dtype of ``g``, which so keeps it.
    """
    saved = node.saved
    if saved is None:
        raise StructureError(f"the values of {node.op.name!r} were released, so its gradient cannot be computed")
    dtype = getattr(g, "dtype", None)
    number = np.float64 if not graph else float if dtype is None or dtype.char not in "ef" else dtype.type
    nodes = (node, *node.inputs) if graph else (None,) * len(saved)
    own = [number(s) if type(s) is float and n is None else s for s, n in zip(saved, nodes, strict=True)]
    if graph:
        own = [s if type(s) is ArraySpec else wrap(s, n) for s, n in zip(own, nodes, strict=True)]
    return tuple(own)
