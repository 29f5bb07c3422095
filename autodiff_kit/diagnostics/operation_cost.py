"""Cost model of single operations: floating-point operations of the forward computation and of the derivative rules.

An operation may give its own counts (``flops``, ``flops_back``). For all others the forward count follows from the
family of the operation, and the backward count from the arithmetic that is written in its rules, read from their
bytecode. Counts depend on shapes only.
"""

from __future__ import annotations

import dis
import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from types import FunctionType
from typing import Any

import numpy as np

from autodiff_kit.core.operation import OPS, Op

__all__ = ["backward_rule_flops", "cost_parameters", "forward_flops", "only_moves_entries"]

Rule = Callable[..., Any]

_PACKAGE = __name__.partition(".")[0] + "."
_MOVING_MODULES = ("shape_manipulation", "axis_order", "broadcasting", "indexing", "joining")
_ARITHMETIC_INSTRUCTIONS = ("BINARY_OP", "UNARY_NEGATIVE")


def forward_flops(op: Op, y: Any, *inputs: Any, **params: Any) -> int:
    """Operations of one forward computation, from the shapes of the output and the inputs.

    An elementwise operation takes one for each entry of the output, a reduction or a gather one for each entry of the
    larger side; moving entries takes none.
    """
    if op.flops is not None:
        return int(op.flops(y, *inputs, **cost_parameters(op, params)))
    if op.family == "elementwise":
        return _size(y)
    return 0 if only_moves_entries(op) else max(map(_size, (y, *inputs)))


def backward_rule_flops(op: Op, y: Any, *inputs: Any, asked: Sequence[int], **params: Any) -> int:
    """Operations of the derivative rules for the inputs ``asked``, and of summing over broadcast axes.

    A product counts for each factor as much as forward. Other rules count the arithmetic that is written in them, once
    for each entry of the output, or of the larger side if axes were reduced; matrix products and decompositions in a
    rule are counted on matrices of that shape. A user's rule counts as one operation for each entry.
    """
    if op.flops_back is not None:
        return int(op.flops_back(y, *inputs, asked=asked, **cost_parameters(op, params)))
    if op.vjps is None and op.vjp_all is None:
        return 0
    total = sum(_broadcast_additions(op, y, inputs[k]) for k in asked)
    if op.family == "bilinear":
        return total + forward_flops(op, y, *inputs, **params) * len(asked)
    value = max((y, *inputs), key=_size) if op.family == "general" else y
    if op.user_defined:
        return total + _size(value) * len(asked)
    rules = [op.vjp_all] if op.vjps is None else [op.vjps[k] for k in asked]
    for entrywise, costly in (_rule_arithmetic(rule, op.family == "linear") for rule in rules if rule is not None):
        total += entrywise * _size(value) + sum(_flops_on_shape_of(inner, value) for inner in costly)
    return total


def cost_parameters(op: Op, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters on which the operation's own count depends: the keyword-only arguments of ``flops``."""
    if not isinstance(op.flops, FunctionType):
        return {}
    code = op.flops.__code__
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    return {name: params[name] for name in names if name in params}


def only_moves_entries(op: Op) -> bool:
    """Whether an operation moves or copies entries without arithmetic, such as a reshape or an index."""
    module = op.value.__module__.rpartition(".")[2]
    moves = op.name in ("read", "replace") or (op.family == "linear" and module in _MOVING_MODULES)
    return op.flops is None and moves


def _flops_on_shape_of(op: Op, value: Any) -> int:
    """The forward count for inputs that all have the shape of ``value``."""
    code = op.flops.__code__ if op.flops is not None else None
    if code is None or code.co_kwonlyargcount:
        return _size(value)
    return forward_flops(op, value, *[value] * max(code.co_argcount - 1, 1))


def _broadcast_additions(op: Op, y: Any, x: Any) -> int:
    """Additions of un-broadcasting the cotangent of an input."""
    full = _size(y) if op.family == "elementwise" or op.name == "broadcast_to" else 0
    if op.name == "matmul":
        full = math.prod(np.shape(y)[:-2]) * math.prod(np.shape(x)[-2:])
    return max(full - _size(x), 0)


@cache
def _rule_arithmetic(rule: Rule, scales: bool) -> tuple[int, tuple[Op, ...]]:
    """Entrywise operations written in a rule and in the kit's functions that it calls; and those with their own count.

    A linear rule (``scales``) can only scale: sums and differences in it belong to indices, and so do its helpers.
    """
    by_name = {op.name: op for op in OPS.values()}
    entrywise = 0
    costly: list[Op] = []
    for function in [rule] if scales else _called_functions(rule):
        found = list(dis.get_instructions(function))
        signs = [
            i.argrepr[0] if i.opname == "BINARY_OP" else "-" for i in found if i.opname in _ARITHMETIC_INSTRUCTIONS
        ]
        names = [after.argval for here, after in pairwise(found) if here.opname == "LOAD_GLOBAL" and here.argval == "v"]
        ops = [op for name in names if (op := by_name.get(name)) is not None and not only_moves_entries(op)]
        entrywise += sum(s in ("*/" if scales else "+-*/%") for s in signs) + sum(op.flops is None for op in ops)
        costly += [OPS["Matmul"]] * signs.count("@") + [op for op in ops if op.flops is not None]
    return entrywise, tuple(costly)


_OF_SHAPES = ("autodiff_kit.ops.axes", "autodiff_kit.ops.in_place")
"""Modules in which arithmetic operators compute with axes and shapes, not with entries."""


def _called_functions(rule: Rule) -> list[Rule]:
    """A rule and the functions of the kit that it calls, directly or indirectly, each once."""
    found = [rule]
    for function in found:
        code = dis.get_instructions(function)
        called = [function.__globals__.get(i.argval) for i in code if i.opname == "LOAD_GLOBAL"]
        inner = [f for f in called if isinstance(f, FunctionType) and f.__module__.startswith(_PACKAGE)]
        inner = [f for f in inner if f.__module__ not in _OF_SHAPES]
        found += [f for f in inner if f not in found]
    return found


def _size(value: Any) -> int:
    return math.prod(np.shape(value))
