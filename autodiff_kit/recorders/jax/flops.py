"""Floating-point operations of equations, from shapes: products and convolutions exactly, others by entries."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["equation_flops"]

_MOVES = frozenset((
    "broadcast_in_dim", "reshape", "transpose", "squeeze", "expand_dims", "slice", "dynamic_slice", "gather",
    "concatenate", "rev", "pad", "copy", "copy_p", "stop_gradient", "iota", "select_n", "convert_element_type",
    "dynamic_update_slice", "scatter", "split", "random_bits", "random_seed", "random_wrap", "random_unwrap",
))  # fmt: skip
_OVER_INPUT = ("reduce_", "arg", "cum", "sort")


def _size(atom: Any) -> int:
    return math.prod(getattr(atom.aval, "shape", ()))


def forward_flops(eqn: Any) -> int:
    """Operations of an equation; of loops those of all turns, of a ``while`` those of one."""
    name, params = eqn.primitive.name, eqn.params
    if name in _MOVES:
        return 0
    if name == "dot_general":
        contracted = params["dimension_numbers"][0][0]
        summed: int = math.prod(eqn.invars[0].aval.shape[k] for k in contracted)
        return 2 * _size(eqn.outvars[0]) * summed
    if name == "conv_general_dilated":
        kernel = eqn.invars[1].aval.shape
        outputs: int = kernel[params["dimension_numbers"].rhs_spec[0]]
        return int(2 * _size(eqn.outvars[0]) * math.prod(kernel) // outputs)
    inner = [_body_flops(body) for body in _bodies(params)]
    if name == "cond":
        return max(inner, default=0)
    if inner and not name.startswith("scatter"):
        return sum(inner) * int(params.get("length", 1))
    return _size(eqn.invars[0] if name.startswith(_OVER_INPUT) else eqn.outvars[0]) if eqn.outvars else 0


def _bodies(params: Any) -> list[Any]:
    found = [params[key] for key in ("jaxpr", "call_jaxpr", "body_jaxpr", "fun_jaxpr") if key in params]
    return [*found, *params.get("branches", ())]


def _body_flops(body: Any) -> int:
    return sum(forward_flops(eqn) for eqn in getattr(body, "jaxpr", body).eqns)


def equation_flops(eqn: Any, needed: bool) -> tuple[int, int]:
    """Forward, and in the backward pass: a product for each factor, otherwise as many operations again."""
    forward = forward_flops(eqn)
    factor = 2 if eqn.primitive.name in ("dot_general", "conv_general_dilated", "scan", "mul", "div") else 1
    return forward, factor * forward if needed else 0
