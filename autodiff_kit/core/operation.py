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

import dis
import inspect
import math
from collections.abc import Callable, Sequence
from functools import cache, update_wrapper
from itertools import pairwise
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from autodiff_kit.core.dispatch import binary, on_value, on_values, record, unary
from autodiff_kit.core.parameters import many, with_params
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
    rows : callable or None
        ``rows(g, like, **params)``: a RowGradient for a source of which few rows were read, or None.
    flops : callable or None
        ``flops(y, *inputs)``, operations of the forward pass, where the family's count is not right; keywords of it
        are the operation's parameters.
    flops_back : callable or None
        ``flops_back(y, *inputs, asked)``, the same of the rules for the asked inputs.
    domain : str
        Where elementwise tests draw their inputs: "real", "positive", "unit" (between -1 and 1), "above one".
    points : tuple
        Special points ``(inputs, gradients)`` with optional parameters as a third member.
    plain : tuple
        The rules of one input, or of two without parameters, as the ordinary sweep calls them, and whether there are
        parameters; the first is None where it takes the long way.
    """

    def __init__(self, name: str, value: Function, **known: Any) -> None:
        self.name = name
        self.key = _camel(name)
        self.value = value
        self.scalar: Function | None = known.pop("scalar", None)
        self.vjps: tuple[Rule, ...] | None = known.pop("vjps", None)
        self.jvp: Function | None = known.pop("jvp", None)
        self.vjp_all: Rule | None = known.pop("vjp_all", None)
        self.residual: Function | None = known.pop("residual", None)
        self.domain: str = known.pop("domain", "real")
        self.users = known.pop("users", False)  # a user's rule: it is given tensors
        self.direct = not self.users and self.jvp is not None and self.vjp_all is None  # tangents go by the rule alone
        self.rows: Function | None = known.pop("rows", None)
        self.flops: Function | None = known.pop("flops", None)
        self.flops_back: Function | None = known.pop("flops_back", None)
        self.points: tuple[Any, ...] = known.pop("points", ())
        self.family: str = known.pop("family", "general")
        self.function: Function | None = None
        self.plain: tuple[Rule | None, Rule | None, bool] = (None, None, False)
        self.held: dict[tuple[bool, ...], tuple[bool, ...]] = {}  # by which inputs are followed
        self.live: Op = self  # what is recorded: this operation, or its stand-in inside an override map
        if known:
            raise TypeError(f"{name}: unknown keywords {sorted(known)}")

    def cost(self, y: Any, *inputs: Any, **params: Any) -> int:
        """Operations of one forward pass, from the shapes of the answer and the inputs.

        What acts entry by entry takes one for each entry of the answer, what reduces or gathers one for each entry of
        the larger side; moving and looking take none.
        """
        if self.flops is not None:
            return int(self.flops(y, *inputs, **self.told(params)))
        if self.family == "elementwise":
            return _entries(y)
        return 0 if self.moves else max(map(_entries, (y, *inputs)))

    def pull_cost(self, y: Any, *inputs: Any, asked: Sequence[int], **params: Any) -> int:
        """Operations of the rules for the asked inputs, from the shapes; what the operation repeated is added up.

        A product costs for each asked factor what it cost forward. Other rules take the arithmetic that is written in
        them, once for each entry: of the answer, or of the larger side where axes were reduced; of that shape are also
        the matrices of the products and decompositions in them. A rule of the user's counts as one operation.
        """
        if self.flops_back is not None:
            return int(self.flops_back(y, *inputs, asked=asked, **self.told(params)))
        if self.vjps is None and self.vjp_all is None:
            return 0
        added = sum(self._repeats(y, inputs[k]) for k in asked)
        if self.family == "bilinear":
            return added + self.cost(y, *inputs, **params) * len(asked)
        value = max((y, *inputs), key=_entries) if self.family == "general" else y
        if self.users:
            return added + _entries(value) * len(asked)
        rules = [self.vjp_all] if self.vjps is None else [self.vjps[k] for k in asked]
        for light, heavy in (_arithmetic(rule, self.family == "linear") for rule in rules if rule is not None):
            added += light * _entries(value) + sum(op._cost_alike(value) for op in heavy)
        return added

    def told(self, params: dict[str, Any]) -> dict[str, Any]:
        """Those of the parameters that the count asks for, as keywords."""
        return {name: params[name] for name in _keywords(self.flops) if name in params}

    def _cost_alike(self, value: Any) -> int:
        """The cost on inputs that all have the shape of ``value``."""
        code = self.flops.__code__ if self.flops is not None else None
        if code is None or code.co_kwonlyargcount:
            return _entries(value)
        return self.cost(value, *[value] * max(code.co_argcount - 1, 1))

    @property
    def moves(self) -> bool:
        """Whether it only moves or looks at entries."""
        module = self.value.__module__.rpartition(".")[2]
        moving = ("shape_manipulation", "indexing", "joining", "operation")
        return self.flops is None and self.family == "linear" and module in moving

    def _repeats(self, y: Any, x: Any) -> int:
        """Additions of the engine, where an input was broadcast."""
        full = _entries(y) if self.family == "elementwise" or self.name == "broadcast_to" else 0
        if self.name == "matmul":
            full = math.prod(np.shape(y)[:-2]) * math.prod(np.shape(x)[-2:])
        return max(full - _entries(x), 0)

    def holds(self, tracked: tuple[bool, ...]) -> tuple[bool, ...]:
        """Which of ``(answer, *inputs)`` the record must hold, if gradients of the tracked inputs may be asked."""
        if self.vjp_all is not None:
            return (True,) * (len(tracked) + 1) if self.family != "linear" else (False,) * (len(tracked) + 1)
        rules = [rule for rule, asked in zip(self.vjps or (), tracked, strict=False) if asked]
        return tuple(any(_uses(rule, k + 1) for rule in rules) for k in range(len(tracked) + 1))

    def hold(self, tracked: tuple[bool, ...]) -> tuple[bool, ...]:
        """:meth:`holds`, found out once."""
        return self.held.get(tracked) or self.held.setdefault(tracked, self.holds(tracked))

    def __repr__(self) -> str:
        return f"Op({self.name})"


def _entries(value: Any) -> int:
    return math.prod(np.shape(value))


def _keywords(function: Any) -> tuple[str, ...]:
    """The keyword-only arguments of a function."""
    if not isinstance(function, FunctionType):
        return ()
    code = function.__code__
    return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]


@cache
def _arithmetic(rule: Rule, scales: bool) -> tuple[int, tuple[Op, ...]]:
    """How many operations on values are written in a rule, and in the kit's own functions that it calls.

    Those that have a count of their own, products above all, are given by themselves. A linear rule can only scale:
    sums and differences in it belong to indices, and so do its helpers.
    """
    light = 0
    heavy: list[Op] = []
    for function in [rule] if scales else _reached(rule):
        found = list(dis.get_instructions(function))
        signs = [i.argrepr[0] if i.opname == "BINARY_OP" else "-" for i in found if i.opname in _SIGNED]
        names = [after.argval for here, after in pairwise(found) if here.opname == "LOAD_GLOBAL" and here.argval == "v"]
        ops = [op for name in names if (op := OPS.get(_camel(name))) is not None and not op.moves]
        light += sum(s in ("*/" if scales else "+-*/%") for s in signs) + sum(op.flops is None for op in ops)
        heavy += [OPS["Matmul"]] * signs.count("@") + [op for op in ops if op.flops is not None]
    return light, tuple(heavy)


_SIGNED = ("BINARY_OP", "UNARY_NEGATIVE")
_KIT = __name__.partition(".")[0] + "."


def _reached(rule: Rule) -> list[Rule]:
    """A rule and the kit's functions that it calls, each once."""
    found = [rule]
    for function in found:
        code = dis.get_instructions(function)
        called = [function.__globals__.get(i.argval) for i in code if i.opname == "LOAD_GLOBAL"]
        found += [f for f in called if isinstance(f, FunctionType) and f.__module__.startswith(_KIT) and f not in found]
    return found


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


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
    told = len(parameters) > arrays
    if op.vjps is not None and op.rows is None and (arrays == 1 or (arrays == 2 and not told)):
        op.plain = (op.vjps[0], op.vjps[1] if arrays == 2 else None, told)
    if not told and arrays < 3:
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
    first, second = vjps[0], vjps[-1]

    def alone(tangents: tuple[Any, ...], y: Any, x: Any, **params: Any) -> Any:
        return first(tangents[0], y, x, **params)

    def both(tangents: tuple[Any, ...], y: Any, a: Any, b: Any, **params: Any) -> Any:
        s, t = tangents
        part = None if s is None else first(s, y, a, b, **params)
        if t is None:
            return part
        other = second(t, y, a, b, **params)
        return other if part is None else part + other

    jvp = alone if len(vjps) == 1 else both
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
            s, t = tangents
            part = None if s is None else values(s, b, **params)
            if t is None:
                return part
            other = values(a, t, **params)
            return other if part is None else part + other

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


_READ = Op("read", lambda x: x, vjps=(lambda g, _y, _x: g,), jvp=lambda t, _y, _x: t[0], family="linear")


def reread(first: Tensor, value: Any) -> Tensor:
    """A variable's value after an assignment; its gradient joins that of the first reading."""
    return record(_READ, value, (first._value,), (first.node,))
