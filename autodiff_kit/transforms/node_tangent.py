"""Forward mode: the tangent of one node from those of its inputs.

Forward accumulators apply it while a function runs. Passes over a finished record apply it to each node, first to last.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from operator import add
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR
from autodiff_kit.core.backward import input_cotangents, saved_values
from autodiff_kit.core.fast_backward import FLOAT_ERRORS
from autodiff_kit.core.modes import modes, zero_where_zero
from autodiff_kit.core.numpy_protocol import canonical, unwrap
from autodiff_kit.core.operation import Op
from autodiff_kit.core.record import Node
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import call_traced
from autodiff_kit.core.unbroadcast import unbroadcast
from autodiff_kit.errors import UnknownGradientError
from autodiff_kit.ops import reductions
from autodiff_kit.ops.dtypes import cast
from autodiff_kit.ops.joining import stack
from autodiff_kit.ops.shape_manipulation import reshape

__all__ = ["apply_jvp", "call_jvp", "fast_output_tangent", "fill_tangents", "output_tangent"]


def output_tangent(node: Node, tangents: tuple[Any, ...], graph: bool = False) -> Any:
    """The tangent of a node's output from those of its inputs (None for an input without one).

    Returns None where the operation has no derivative. With ``graph`` the rules run on tensors, so that open tapes
    record the pass itself.
    """
    op: Op = node.op
    if op.jvp is None:
        return _tangent_without_rule(node, tangents, graph)
    y, *inputs = saved_values(node, graph)
    if op.vjp_all is not None and op.family == "linear":
        tangents = tuple(fill_tangents(tangents, inputs))
    return unbroadcast(call_jvp(node, tangents, y, inputs, graph), node.spec)


def call_jvp(node: Node, tangents: tuple[Any, ...], y: Any, inputs: list[Any], graph: bool) -> Any:
    """The output tangent by the forward rule of a node, under the modes of this thread."""
    op, params = node.op, node.params
    if modes.zero_absorbs and op.family == "elementwise":  # a tangent of 0 stays 0 for any derivative
        rules = zip(op.vjps or (), tangents, strict=True)
        parts = [zero_where_zero(rule(t, y, *inputs, **params), t) for rule, t in rules if t is not None]
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]
    out = call_traced(op.jvp, (tangents, y, *inputs), params)
    return unwrap(out) if op.user_defined and not graph else out


def _tangent_without_rule(node: Node, tangents: tuple[Any, ...], graph: bool) -> Any:
    """The tangent where the operation has no forward rule: None where it has no derivative."""
    op = node.op
    if op.vjp_all is not None and op.user_defined:
        y = _jvp_from_vjp(node, tangents, graph)
        return y if graph else y._value
    if op.family == "nondifferentiable":
        return None
    raise UnknownGradientError(f"operation {op.name!r} has no forward rule; pass jvp= to custom_gradient")


def fill_tangents(tangents: Sequence[Any], inputs: Sequence[Any], lead: int = 0) -> list[Any]:
    """The tangents of an operation on a list of arrays, with zeros in place of None."""
    given = next(t for t in tangents if t is not None)
    dtype, ahead = getattr(given, "dtype", np.float64), np.shape(unwrap(given))[:lead]
    shapes = [ahead + np.shape(unwrap(x)) for x in inputs]
    return [np.zeros(shape, dtype) if t is None else t for t, shape in zip(tangents, shapes, strict=True)]


def _jvp_from_vjp(node: Node, tangents: tuple[Any, ...], graph: bool) -> Tensor:
    """The tangent of a custom gradient without a jvp: the transpose of its vjp, with one call for each entry."""
    spec = node.spec or SCALAR
    moving = {n: as_tensor(t) for n, t in zip(node.inputs, tangents, strict=True) if t is not None}
    kind = spec.dtype if spec.dtype.kind == "f" else np.dtype(float)  # an integer's tangent is no integer
    zero = wrap(canonical(np.zeros((), kind)))
    if not math.prod(spec.shape):
        return reshape(zero * np.zeros(0, kind), spec.shape)
    entries = []
    for row in np.eye(math.prod(spec.shape), dtype=kind):
        g = canonical(row.reshape(spec.shape))
        parts = input_cotangents(node, wrap(g) if graph else g, graph=graph)  # an input may occur twice
        found = [reductions.sum(as_tensor(part) * moving[n]) for n, part in parts if n in moving]
        entries.append(cast(functools.reduce(add, found, zero), kind))
    return reshape(stack(entries), spec.shape)


def fast_output_tangent(node: Node, tangents: tuple[Any, ...]) -> Any:
    """:func:`output_tangent` in the common case: no leading axes, no recording, no modes."""
    op = node.op
    if not op.fast_jvp:
        return output_tangent(node, tangents)
    try:
        return unbroadcast(apply_jvp(op, tangents, node.parts[len(tangents) :], node.params), node.spec)
    except FLOAT_ERRORS:
        return output_tangent(node, tangents)


def apply_jvp(op: Any, tangents: Sequence[Any], saved: Any, params: dict[str, Any] | None) -> Any:
    """The forward rule on plain values; repeated with NumPy's floats where Python's raise an exception."""
    if op.family != "elementwise" and float in map(type, saved):
        saved = [np.float64(s) if type(s) is float else s for s in saved]
    return op.jvp(tangents, *saved, **params) if params else op.jvp(tangents, *saved)
