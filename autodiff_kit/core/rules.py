"""What an operation is, and how one is made from its block.

An operation is a function of values; a value is a Python float, a NumPy array, or a :class:`Tensor`. On plain values
the function just computes; on tensors it computes and, where a record is open, writes a node. So one set of rules
serves every mode: run on arrays they give a gradient, run on tensors they are themselves recorded, and gradients of
gradients need nothing more.

Each block makes two functions. The public one, which the module exports, takes whatever a user has and gives a tensor.
The one of the same name in :data:`v` takes values: rules call that one, ``v.cos(x)``.

A rule has the arguments ``(g, y, *inputs, **params)``: what comes in, the answer, the inputs, the parameters. A name
that begins with an underscore says "I use only its shape and dtype", and then the record does not hold that value.

Families derive the second rule from the first:

:func:`elementwise`
    A rule for each input, ``g`` times the slope; a tangent goes through the same rule.
:func:`linear`
    The transpose; a tangent goes through the operation itself.
:func:`bilinear`
    A transpose for each input; a tangent goes through the operation, one input at a time.
:func:`general`
    A rule for each input, and a rule of its own for tangents.
:func:`zero`
    No derivative: gradients end here, as None.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import update_wrapper
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff_kit.core.calling import binary, many, on_value, on_values, record, unary, with_params
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.errors import DuplicateNameError

__all__ = [
    "OPS",
    "Op",
    "bilinear",
    "elementwise",
    "general",
    "linear",
    "reread",
    "v",
    "zero",
]

Rule = Callable[..., Any]
Function = Callable[..., Any]
Public = Callable[..., Tensor]

OPS: dict[str, Op] = {}
"""Every operation by its CamelCase name."""

v: Any = SimpleNamespace()
"""Every operation as a function of values: plain in, plain out; a recorded tensor in, a recorded tensor out."""


class Op:
    """Everything that is known of an operation.

    Attributes
    ----------
    name : str
        As a function, ``floor``; :attr:`key`, ``Floor``, is the name in override maps.
    value : callable
        The answer from plain values.
    scalar : callable or None
        The same from Python floats to a Python float, where that is faster; it may raise as Python's math does.
    vjps : tuple of callable, or None
        A rule for each input; None where the operation cuts the path.
    jvp : callable or None
        ``jvp(tangents, y, *inputs, **params)``; a tangent is None where an input has none.
    vjp_all : callable or None
        One rule for all inputs at once, in place of ``vjps``: custom and registered gradients, and many inputs.
    residual : callable or None
        ``residual(y, *inputs)``: something smaller that is held in place of the inputs, such as a mask.
    flops : callable or None
        ``flops(y, *inputs)``, operations of the forward pass, where the family's count is not right.
    domain : str
        Where elementwise tests draw their inputs: "real", "positive", "unit" (between -1 and 1), "above one".
    points : tuple
        Special points ``(inputs, gradients)`` with optional parameters as a third member.
    """

    def __init__(self, name: str, value: Function, **known: Any) -> None:
        self.name = name
        self.key = "".join(part.capitalize() for part in name.split("_"))
        self.value = value
        self.scalar: Function | None = known.pop("scalar", None)
        self.vjps: tuple[Rule, ...] | None = known.pop("vjps", None)
        self.jvp: Function | None = known.pop("jvp", None)
        self.vjp_all: Rule | None = known.pop("vjp_all", None)
        self.residual: Function | None = known.pop("residual", None)
        self.domain: str = known.pop("domain", "real")
        self.users = known.pop("users", False)  # a user's rule: it is given tensors
        self.flops: Function | None = known.pop("flops", None)
        self.points: tuple[Any, ...] = known.pop("points", ())
        self.family: str = known.pop("family", "general")
        self.function: Function | None = None
        self.plain: tuple[Rule, Rule | None] | None = None  # the rules, where there are one or two and no parameters
        self.held: dict[tuple[bool, ...], tuple[bool, ...]] = {}
        self.live: Op = self  # what is recorded: this operation, or its stand-in inside an override map
        if known:
            raise TypeError(f"{name}: unknown keywords {sorted(known)}")

    def cost(self, y: Any, *inputs: Any) -> int:
        """Operations of one forward pass, from the shapes of the answer and the inputs.

        What acts entry by entry takes one for each entry of the answer, what reduces or gathers one for each entry of
        the larger side; moving and looking take none.
        """
        if self.flops is not None:
            return int(self.flops(y, *inputs))
        if self.family in ("elementwise", "zero"):
            return _entries(y)
        moves = self.value.__module__.endswith(".shaping")
        return 0 if moves else max(map(_entries, (y, *inputs)))

    def holds(self, tracked: tuple[bool, ...]) -> tuple[bool, ...]:
        """Which of ``(answer, *inputs)`` the record must hold, if gradients of the tracked inputs may be asked."""
        if self.vjp_all is not None:
            return (True,) * (len(tracked) + 1) if self.family != "linear" else (False,) * (len(tracked) + 1)
        rules = [rule for rule, asked in zip(self.vjps or (), tracked, strict=False) if asked]
        return tuple(any(_uses(rule, k + 1) for rule in rules) for k in range(len(tracked) + 1))

    def __repr__(self) -> str:
        return f"Op({self.name})"


def _entries(value: Any) -> int:
    return math.prod(np.shape(value))


def _uses(rule: Rule, place: int) -> bool:
    code = rule.__code__
    return place >= code.co_argcount or not code.co_varnames[place].startswith("_")


def _define(function: Function, arrays: int, known: dict[str, Any]) -> Public:
    prepare = known.pop("prepare", None)
    name = function.__name__.strip("_")
    op = Op(name, function, **known)
    if op.key in OPS:
        raise DuplicateNameError(f"an operation named {op.key} stands already in {OPS[op.key].value.__module__}")
    OPS[op.key] = op
    parameters = inspect.signature(function).parameters
    if len(parameters) == arrays and arrays < 3:
        op.plain = (*op.vjps, None)[:2] if op.vjps is not None else None  # type: ignore[assignment]
        public = unary(op) if arrays == 1 else binary(op)
        values = on_value(op, public) if arrays == 1 else on_values(op, public)
    else:
        build = many if next(iter(parameters)) == "arrays" else with_params
        values, public = (build(op, arrays, parameters, prepare, face) for face in (False, True))
    setattr(v, name, values)
    op.function = update_wrapper(public, function)
    public.op = op  # type: ignore[attr-defined]
    return public


def elementwise(*vjps: Rule, **known: Any) -> Callable[[Function], Public]:
    """Operations that act entry by entry: a rule is ``g`` times the slope, so tangents use the same rules."""

    def jvp(tangents: tuple[Any, ...], y: Any, *inputs: Any, **params: Any) -> Any:
        parts = [rule(t, y, *inputs, **params) for rule, t in zip(vjps, tangents, strict=True) if t is not None]
        return _sum(parts)

    return lambda f: _define(f, len(vjps), {"vjps": vjps, "jvp": jvp, "family": "elementwise"} | known)


def linear(vjp: Rule, arrays: int = 1, **known: Any) -> Callable[[Function], Public]:
    """Operations that are linear in their input; the rule is the transpose."""

    def decorate(function: Function) -> Public:
        def jvp(tangents: tuple[Any, ...], y: Any, *inputs: Any, **params: Any) -> Any:
            if joins:
                filled = [t if t is not None else np.zeros_like(x) for t, x in zip(tangents, inputs, strict=True)]
                return values(filled, **params)
            return values(tangents[0], **params)

        joins = next(iter(inspect.signature(function).parameters)) == "arrays"
        rules = {"vjp_all": vjp} if joins else {"vjps": (vjp,)}
        public = _define(function, arrays, rules | {"jvp": jvp, "family": "linear"} | known)
        values = getattr(v, function.__name__.strip("_"))
        return public

    return decorate


def bilinear(*vjps: Rule, **known: Any) -> Callable[[Function], Public]:
    """Operations that are linear in each of two inputs, such as matmul; two transposes."""

    def decorate(function: Function) -> Public:
        def jvp(tangents: tuple[Any, ...], y: Any, a: Any, b: Any, **params: Any) -> Any:
            parts = [] if tangents[0] is None else [values(tangents[0], b, **params)]
            return _sum(parts if tangents[1] is None else [*parts, values(a, tangents[1], **params)])

        public = _define(function, 2, {"vjps": vjps, "jvp": jvp, "family": "bilinear"} | known)
        values = getattr(v, function.__name__.strip("_"))
        return public

    return decorate


def general(*vjps: Rule, jvp: Function, **known: Any) -> Callable[[Function], Public]:
    """Operations that give both rules."""
    return lambda f: _define(f, len(vjps), {"vjps": vjps, "jvp": jvp, "family": "general"} | known)


def zero(arrays: int = 1, **known: Any) -> Callable[[Function], Public]:
    """Operations without a derivative: rounding, comparison, conversion to integers. Gradients end here, as None."""
    return lambda f: _define(f, arrays, {"family": "zero"} | known)


def _sum(parts: list[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


_READ = Op("read", lambda x: x, vjps=(lambda g, _y, _x: g,), jvp=lambda t, _y, _x: t[0], family="linear")


def reread(first: Tensor, value: Any) -> Tensor:
    """A variable's value after an assignment; its gradient joins that of the first reading."""
    return record(_READ, value, (first._value,), (first.node,))
