"""Reverse rules that give the cotangents of all inputs at once: the user's rules, and those with many inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR, ArraySpec
from autodiff_kit.core.numpy_protocol import canonical, unwrap
from autodiff_kit.core.operation import Op, v
from autodiff_kit.core.record import Node
from autodiff_kit.core.sparse_gradient import SparseGradient
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import call_traced
from autodiff_kit.errors import ShapeError, StructureError

__all__ = ["all_input_cotangents"]


def all_input_cotangents(op: Op, node: Node, g: Any, saved: tuple[Any, ...], graph: bool, lead: int) -> dict[int, Any]:
    """Cotangents of all inputs from one rule; a user's rule is always called with tensors."""
    rule = op.vjp_all
    if op.user_defined and lead:  # the rule does not support leading axes: one call for each entry
        each = [all_input_cotangents(op, node, g[k], saved, graph, lead - 1) for k in range(g.shape[0])]
        return {k: _stack([parts[k] for parts in each]) for k in range(len(node.inputs))}
    if op.user_defined and not graph:
        saved = tuple(s if type(s) is ArraySpec else wrap(canonical(s)) for s in saved)
        g = wrap(canonical(g))
    parts = call_traced(rule, (g, *saved), node.params)
    parts = parts if isinstance(parts, (tuple, list)) else (parts,)
    if len(parts) != len(node.inputs):
        raise StructureError(
            f"the gradient of {op.name!r} returned {len(parts)} values for {len(node.inputs)} inputs; it must return "
            "one for each input"
        )
    if op.user_defined:
        parts = [part if part is None or isinstance(part, SparseGradient) else as_tensor(part) for part in parts]
        node.set_extra("given", [part is not None for part in parts])  # what `tape.explain` asks
        for part, n in zip(parts, node.inputs, strict=True):
            _check_shape(op, part, n)
    return dict(enumerate(parts if graph else map(unwrap, parts)))


def _stack(parts: list[Any]) -> Any:
    if parts[0] is None:
        return None
    return v.stack(parts, axis=-1 - np.ndim(unwrap(parts[0]))) if type(parts[0]) is Tensor else np.stack(parts)


def _check_shape(op: Op, part: Any, n: Node | None) -> None:
    if part is None or n is None:
        return
    shape, given = (n.spec or SCALAR).shape, np.shape(unwrap(part))
    try:
        np.broadcast_shapes(given, shape)
    except ValueError as error:
        raise ShapeError(
            f"the gradient of {op.name!r} has shape {given}, but its input has shape {shape}; they must be equal"
        ) from error
