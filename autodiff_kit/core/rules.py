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
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff_kit.core.record import ArrayNode, Like, Node, Record, Several, unify
from autodiff_kit.core.tensor import Tensor, Value, lift, make, normal
from autodiff_kit.errors import AutodiffError, DuplicateNameError, ShapeError, UnknownGradientError

__all__ = [
    "OPS",
    "Op",
    "bilinear",
    "custom",
    "elementwise",
    "general",
    "gradient_override_map",
    "linear",
    "record",
    "register_gradient",
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

_RULES: dict[str, tuple[Rule, str]] = {}
"""Gradients that users registered: name -> (rule, where)."""

_getframe = sys._getframe
_SCALAR_TROUBLE = (ZeroDivisionError, OverflowError, ValueError)


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


# -------------------------------------------------------------------------------- recording
class _Ours(dict[str, bool]):
    """Whether a file is the kit's own; found out once a file, since every recorded operation asks."""

    def __missing__(self, filename: str) -> bool:
        self[filename] = filename.startswith(_HOME) and not filename.startswith(_USERS)
        return self[filename]


_HOME = str(Path(__file__).parents[1]) + os.sep
# These compute with the kit as a user does, and a line of theirs is as good a place as a user's.
_USERS = tuple(f"{_HOME}{part}{os.sep}" for part in ("widgets", "exercises", "lessons", "lab"))
_ours = _Ours()


def _frame() -> Any:
    """The innermost frame outside of the kit: the place of a node."""
    frame = _getframe(2)
    while frame.f_back is not None and _ours[frame.f_code.co_filename]:
        frame = frame.f_back
    return frame


def record(
    op: Op,
    y: Any,
    values: tuple[Any, ...],
    nodes: tuple[Node | None, ...],
    params: dict[str, Any] | None = None,
) -> Tensor:
    """The answer as a tensor, written down where an open record follows one of the inputs."""
    owner: Record | Several | None
    owner, nodes = unify(nodes)
    if owner is None:
        return make(y)
    tensor = make(y)
    node: Node = tensor
    if type(y) is not float:
        own = tensor._node = ArrayNode()
        own.like = Like(y.shape, y.dtype)
        node = own
    node.op, node.record, node.cot = op.live, owner, None
    if params:
        node.put("params", params)
    node.parts = nodes + _saved(op.live, y, values, nodes, owner.keep, node.like)
    frame = _frame()
    node.code, node.lasti = frame.f_code, frame.f_lasti
    if type(y) is not float or any(type(value) is np.ndarray for value in values):
        owner.arrays = True
    owner.page.append(node)
    return tensor


def _saved(
    op: Op, y: Any, values: tuple[Any, ...], nodes: tuple[Node | None, ...], keep: bool, like: Like | None
) -> tuple[Any, ...]:
    everything = (y, *values)
    if keep:
        return everything
    if op.residual is not None:
        everything = (y, *op.residual(y, *values))
    tracked = tuple([node is not None for node in nodes])
    held = op.held.get(tracked) or op.held.setdefault(tracked, op.holds(tracked))
    return tuple(
        [
            value if hold or type(value) is float or type(value) is int else Like(value.shape, value.dtype)
            for value, hold in zip(everything, held, strict=True)
        ]
    )


def _apply(op: Op, tensors: tuple[Tensor, ...], params: dict[str, Any]) -> Tensor:
    """Any operation on tensors: compute, then write down."""
    values = tuple(t._value for t in tensors)
    y = normal(_compute(op, values, params))
    return record(op, y, values, tuple(t.node for t in tensors), params)


def _compute(op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> Any:
    try:
        return op.value(*values, **params)
    except AutodiffError:
        raise
    except (ValueError, IndexError) as error:
        shapes = " and ".join(str(np.shape(v)) for v in values)
        raise ShapeError(f"{op.name} of shapes {shapes}: {error}") from error


def _wide(value: Any, other: Any) -> Any:
    """A float64 scalar tensor beside an array is a float64 of NumPy's, which decides the result's dtype."""
    return np.float64(value) if type(value) is float and type(other) is not float else value


# -------------------------------------------------------------------------------- two fast shapes
# Nothing in the kit runs more often than the lines below: they are the cost of the eager tape on scalars. They do what
# `record` does, written out. A tensor with a record of its own is a Python float (arrays keep theirs on a node), so no
# type needs to be looked at. The last code object that was not the kit's own is remembered, since loops repeat it.


def _unary(op: Op) -> Function:
    scalar = op.scalar
    if scalar is None:
        return lambda x: _alone(op, x if type(x) is Tensor else lift(x))
    users: Any = None

    def call(x: Any) -> Any:
        nonlocal users
        try:
            owner = x.record
        except AttributeError:  # a variable, an array, a number
            x = lift(x)
            owner = x.record
        if owner is None or (page := owner.page) is None:
            return _alone(op, x)
        z = x._value
        try:
            y = scalar(z)
        except _SCALAR_TROUBLE:
            return _alone(op, x)
        frame = _getframe(1)
        code = frame.f_code
        if code is not users:
            if _ours[code.co_filename]:
                frame = _frame()
                code = frame.f_code
            else:
                users = code
        node = Tensor()
        node._value = y
        node.op = op.live
        node.parts = (x, y, z)
        node.record = owner
        node.cot = None
        node.code = code
        node.lasti = frame.f_lasti
        page.append(node)
        return node

    return call


def _on_value(op: Op, public: Function) -> Function:
    """The face of an operation that rules see: plain values stay plain."""
    value, scalar = op.value, op.scalar
    if scalar is None:
        return lambda x: public(x) if type(x) is Tensor else value(x)

    def call(x: Any) -> Any:
        if type(x) is float:
            try:
                return scalar(x)
            except _SCALAR_TROUBLE:
                return normal(value(np.float64(x)))
        return public(x) if type(x) is Tensor else value(x)

    return call


def _on_values(op: Op, public: Function) -> Function:
    value = op.value

    def call(a: Any, b: Any) -> Any:
        return public(a, b) if type(a) is Tensor or type(b) is Tensor else value(a, b)

    return call


def _scalar(op: Op, x: float) -> Any:
    """An operation on a Python float; where Python raises, NumPy's infinity or nan."""
    try:
        return op.scalar(x) if op.scalar is not None else normal(op.value(np.float64(x)))
    except _SCALAR_TROUBLE:
        return normal(op.value(np.float64(x)))


def _alone(op: Op, x: Tensor) -> Tensor:
    """One operand that is not a scalar on an open record."""
    z = x._value
    y = _scalar(op, z) if type(z) is float else normal(_compute(op, (z,), {}))
    return make(y) if x.node is None else record(op, y, (z,), (x.node,))


def _binary(op: Op) -> Function:  # noqa: C901 - written out for speed
    scalar = op.scalar
    if scalar is None:
        return lambda a, b: _apart(op, *_lifted(a, b))
    users: Any = None

    def call(a: Any, b: Any) -> Any:
        nonlocal users
        n: Tensor | None
        m: Tensor | None
        if type(a) is Tensor:
            owner = a.record
            if type(b) is Tensor:
                if b.record is not owner or owner is None:
                    return _apart(op, a, b)
                n, m, x, z = a, b, a._value, b._value
            elif owner is not None and (type(b) is float or type(b) is int):
                n, m, x, z = a, None, a._value, float(b)
            else:
                return _apart(op, a, b) if type(b) in _LITERALS else call(a, lift(b))
        elif type(b) is Tensor:
            owner = b.record
            if type(a) not in _LITERALS or owner is None:
                return _apart(op, a, b) if type(a) in _LITERALS else call(lift(a), b)
            n, m, x, z = None, b, float(a), b._value
        else:
            return call(a, lift(b)) if type(a) in _LITERALS else call(lift(a), b)
        if (page := owner.page) is None:
            return _apart(op, a, b)
        try:
            y = scalar(x, z)
        except _SCALAR_TROUBLE:
            return _apart(op, a, b)
        frame = _getframe(1)
        code = frame.f_code
        if code is not users:
            if _ours[code.co_filename]:
                frame = _frame()
                code = frame.f_code
            else:
                users = code
        node = Tensor()
        node._value = y
        node.op = op.live
        node.parts = (n, m, y, x, z)
        node.record = owner
        node.cot = None
        node.code = code
        node.lasti = frame.f_lasti
        page.append(node)
        return node

    return call


_LITERALS = (float, int)


def _lifted(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands, at least one of them a tensor; a number beside a tensor stays a number."""
    if type(a) is not Tensor and not (type(a) in _LITERALS and isinstance(b, Value)):
        a = lift(a)
    return a, b if type(b) is Tensor or (type(b) in _LITERALS and type(a) is Tensor) else lift(b)


def _apart(op: Op, a: Any, b: Any) -> Any:
    """Two operands that are not scalars on one record: arrays, integers, or values of different records."""
    x, z = _operand(a, b), _operand(b, a)
    y = normal(_compute(op, (x, z), {}))
    nodes = a.node if type(a) is Tensor else None, b.node if type(b) is Tensor else None
    return make(y) if nodes[0] is None and nodes[1] is None else record(op, y, (normal(x), normal(z)), nodes)


def _operand(a: Any, beside: Any) -> Any:
    """The value to compute with: a number that is written down takes its dtype from what stands beside it."""
    other = beside._value if type(beside) is Tensor else beside
    if type(a) is Tensor:
        return _wide(a._value, other)
    if type(a) is float:
        return a
    if type(a) is int:
        return float(a) if type(other) is float else a
    return lift(a)._value


# -------------------------------------------------------------------------------- families
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
        public = _unary(op) if arrays == 1 else _binary(op)
        on_values = _on_value(op, public) if arrays == 1 else _on_values(op, public)
    else:
        build = _many if next(iter(parameters)) == "arrays" else _with_params
        on_values, public = (build(op, arrays, parameters, prepare, face) for face in (False, True))
    setattr(v, name, on_values)
    op.function = update_wrapper(public, function)
    public.op = op  # type: ignore[attr-defined]
    return public


def _with_params(op: Op, arrays: int, parameters: Any, prepare: Function | None, public: bool) -> Function:
    rest = tuple(parameters)[arrays:]
    defaults = {n: p.default for n, p in parameters.items() if p.default is not inspect.Parameter.empty}

    def call(*args: Any, **params: Any) -> Any:
        operands = args[:arrays]
        params = {**defaults, **dict(zip(rest, args[arrays:], strict=False)), **params}
        if public:
            operands = tuple(lift(x) for x in operands)
            if prepare is not None:
                params = prepare(*operands, **params)
        elif not any(type(x) is Tensor for x in operands):
            return op.value(*operands, **params)
        return _apply(op, tuple(lift(x) for x in operands), params)

    return call


def _many(op: Op, arrays: int, parameters: Any, prepare: Function | None, public: bool) -> Function:
    """An operation on a list of arrays, such as concat."""
    rest = tuple(parameters)[1:]
    defaults = {n: p.default for n, p in parameters.items() if p.default is not inspect.Parameter.empty}

    def call(arrays: Any, *args: Any, **params: Any) -> Any:
        params = {**defaults, **dict(zip(rest, args, strict=False)), **params}
        if not public and not any(type(x) is Tensor for x in arrays):
            return op.value(arrays, **params)
        tensors = tuple(lift(x) for x in arrays)
        if public and prepare is not None:
            params = prepare(tensors, **params)
        values = tuple(t._value for t in tensors)
        y = normal(_compute(op, (values,), params))
        return record(op, y, values, tuple(t.node for t in tensors), params)

    return call


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
            if many:
                filled = [t if t is not None else np.zeros_like(x) for t, x in zip(tangents, inputs, strict=True)]
                return on_values(filled, **params)
            return on_values(tangents[0], **params)

        many = next(iter(inspect.signature(function).parameters)) == "arrays"
        rules = {"vjp_all": vjp} if many else {"vjps": (vjp,)}
        public = _define(function, arrays, rules | {"jvp": jvp, "family": "linear"} | known)
        on_values = getattr(v, function.__name__.strip("_"))
        return public

    return decorate


def bilinear(*vjps: Rule, **known: Any) -> Callable[[Function], Public]:
    """Operations that are linear in each of two inputs, such as matmul; two transposes."""

    def decorate(function: Function) -> Public:
        def jvp(tangents: tuple[Any, ...], y: Any, a: Any, b: Any, **params: Any) -> Any:
            parts = [] if tangents[0] is None else [on_values(tangents[0], b, **params)]
            return _sum(parts if tangents[1] is None else [*parts, on_values(a, tangents[1], **params)])

        public = _define(function, 2, {"vjps": vjps, "jvp": jvp, "family": "bilinear"} | known)
        on_values = getattr(v, function.__name__.strip("_"))
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


# -------------------------------------------------------------------------------- registry, overrides, custom
def register_gradient(name: str) -> Callable[[Rule], Rule]:
    """Register a gradient under a name, for use in :func:`gradient_override_map`.

    Parameters
    ----------
    name : str
        A name of your own; names of operations such as ``"Identity"`` are taken by their own gradients.

    Returns
    -------
    callable
        A decorator for ``rule(g, ans, *inputs, **params)``, which returns the gradient of each input, or one value
        where there is one input.

    Raises
    ------
    DuplicateNameError
        If the name is registered already; the message says where.

    Examples
    --------
    >>> @ak.register_gradient("FiveTimes")
    ... def five_times(g, ans, x):
    ...     return 5.0 * g
    """

    def decorate(rule: Rule) -> Rule:
        if name in _RULES:
            raise DuplicateNameError(f"a gradient named {name!r} is registered already, at {_RULES[name][1]}")
        place = f"{rule.__code__.co_filename}:{rule.__code__.co_firstlineno}"
        _RULES[name] = (rule, place)
        return rule

    return decorate


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, [*OPS, *_RULES], n=1, cutoff=0.0)
    return f"; the nearest name is {near[0]!r}" if near else ""


def _stand_in(op: Op, name: str) -> Op:
    """A twin of ``op`` whose gradient is the one registered as ``name``."""
    if name in _RULES:
        return Op(op.name, op.value, vjp_all=_RULES[name][0], users=True, family="general")
    source = OPS.get(name)
    if source is None or (source.vjps is None and source.vjp_all is None):
        raise UnknownGradientError(
            f"no gradient is registered as {name!r}{_nearest(name)}. Register one with @ak.register_gradient({name!r})."
        )
    return Op(op.name, op.value, vjps=source.vjps, jvp=source.jvp, vjp_all=source.vjp_all, family=source.family)


@contextmanager
def gradient_override_map(mapping: dict[str, str]) -> Iterator[None]:
    """Swap gradients inside a block: values stay, the way back changes.

    Parameters
    ----------
    mapping : dict of str to str
        Name of an operation -> name of a registered gradient, or of the operation whose gradient it takes.

    Raises
    ------
    UnknownGradientError
        If an operation or a gradient of that name does not exist; the nearest name is given.

    Notes
    -----
    The map belongs to the process, not to a thread: leave the block before others compute.

    Examples
    --------
    >>> x = ak.Variable([1.7, 2.3])
    >>> with ak.GradientTape() as tape, ak.gradient_override_map({"Floor": "Identity"}):
    ...     y = ak.floor(x)
    >>> tape.gradient(y, x).numpy()
    array([1., 1.])
    """
    for key in mapping:
        if key not in OPS:
            raise UnknownGradientError(f"no operation is named {key!r}{_nearest(key)}")
    stand_ins = {key: _stand_in(OPS[key], name) for key, name in mapping.items()}
    before = {key: OPS[key].live for key in mapping}
    try:
        for key, op in stand_ins.items():
            OPS[key].live = op
        yield
    finally:
        for key, op in before.items():
            OPS[key].live = op


_READ = Op("read", lambda x: x, vjps=(lambda g, _y, _x: g,), jvp=lambda t, _y, _x: t[0], family="linear")


def reread(first: Tensor, value: Any) -> Tensor:
    """A variable's value after an assignment; its gradient joins that of the first reading."""
    return record(_READ, value, (first._value,), (first.node,))


def custom(name: str, vjp_all: Rule, jvp: Function | None, value: Any, inputs: tuple[Tensor, ...]) -> Tensor:
    """A value that was computed elsewhere, on the record as one operation with rules of the user's."""
    op = Op(name, lambda *_: value, vjp_all=vjp_all, jvp=jvp, users=True, family="general")
    return record(op, value, tuple(t._value for t in inputs), tuple(t.node for t in inputs))
