"""How an operation runs: on plain values it computes, on tensors it computes and writes itself down.

Two shapes are written out for speed, operations of one and of two scalars without parameters; all others go through
:func:`record`. What takes parameters, or a list of arrays, comes in by :mod:`autodiff_kit.core.parameters`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.dual import Dual, carried
from autodiff_kit.core.record import ArrayNode, Like, Node, Record, Several, unify
from autodiff_kit.core.source_location import ours, user_frame
from autodiff_kit.core.tensor import Standin, Tensor, Value, lift, make, normal
from autodiff_kit.errors import AutodiffError, DtypeError, NumbersAskedError, ShapeError

if TYPE_CHECKING:
    from autodiff_kit.core.operation import Op

__all__ = ["LITERALS", "applied", "binary", "computed", "on_value", "on_values", "record", "unary"]

Function = Callable[..., Any]

_getframe = sys._getframe
_SCALAR_TROUBLE = (ZeroDivisionError, OverflowError, ValueError)


def _turn_to(owner: Record | Several, frame: Any) -> Any:
    """The user's frame at or above ``frame``, noted on the record for the operations that follow; None in a thread
    that is not the record's. Another thread has frames of its own, so it always comes by here.
    """
    if not owner.here():
        return None
    frame = user_frame(frame)
    owner.frame, owner.code = frame, frame.f_code
    return frame


def record(
    op: Op,
    y: Any,
    values: tuple[Any, ...],
    nodes: tuple[Node | None, ...],
    params: dict[str, Any] | None = None,
    up: int = 1,
) -> Tensor:
    """The answer as a tensor, written down where an open record follows one of the inputs.

    The frame that is ``up`` above this one may be the user's; those between are known to be the kit's.
    """
    owner = None
    for n in nodes:
        if n is not None and n.record is not owner:
            if owner is not None:
                owner, nodes = unify(nodes)
                break
            owner = n.record
    if owner is None or owner.page is None:
        return make(y)
    if owner.carry is not None and (pushed := owner.carry(op.live, y, values, nodes, params)) is not None:
        return pushed  # type: ignore[no-any-return]
    frame = _getframe(up)
    if frame is not owner.frame and (frame := _user(owner, frame)) is None:
        return make(y)
    tensor = Tensor()
    tensor._value, tensor._node, tensor.record = y, None, None
    node: Node = tensor
    if type(y) is not float:
        owner.arrays = True
        node = tensor._node = ArrayNode()
        node.like = Like.of(y)
    elif not owner.arrays and any(type(value) is np.ndarray for value in values):
        owner.arrays = True
    op = node.op = op.live
    node.record, node.cot = owner, None
    if params:
        node.rest = {"params": params}
    node.parts = (_whole if owner.keep else _saved)(op, node, nodes, y, values)
    node.code, node.lasti = owner.code, frame.f_lasti
    owner.page.append(node)
    return tensor


def _user(owner: Record | Several, frame: Any) -> Any:
    """The user's frame, from inside the kit; mostly the one in which the record's last operation ran."""
    home = owner.frame
    while frame is not home and ours[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame if frame is home else _turn_to(owner, frame)


def _saved(op: Op, node: Node, nodes: tuple[Node | None, ...], y: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a node keeps: the nodes it read, then answer and inputs; where no rule uses a value, shape and dtype."""
    if op.residual is not None:
        values = op.residual(y, *values)
    if len(nodes) == 1:
        (n,), (x,) = nodes, values
        holds_y, holds_x = op.held.get(_ALONE) or op.hold(_ALONE)
        return n, y if holds_y else node.like or y, x if holds_x else _light(x, n)
    if len(nodes) == 2:
        (n, m), (a, b) = nodes, values
        tracked = n is not None, m is not None
        holds_y, holds_a, holds_b = op.held.get(tracked) or op.hold(tracked)
        return n, m, y if holds_y else node.like or y, a if holds_a else _light(a, n), b if holds_b else _light(b, m)
    held = op.hold(tuple([n is not None for n in nodes]))
    saved = zip(held, (y, *values), (node, *nodes), strict=True)
    return (*nodes, *[x if holds else _light(x, n) for holds, x, n in saved])


_ALONE = (True,)


def _light(value: Any, node: Node | None) -> Any:
    """What stands for a value that is not held: shape and dtype. Numbers weigh no more."""
    if node is not None and node.like is not None:
        return node.like
    return value if type(value) is float or type(value) is int else Like.of(value)


def _whole(op: Op, _: Node, nodes: tuple[Node | None, ...], y: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same for those who want to look: every value, but what is held in place of inputs stays that."""
    return (*nodes, y, *(values if op.residual is None or type(y) is not np.ndarray else op.residual(y, *values)))


def applied(op: Op, tensors: tuple[Tensor, ...], params: dict[str, Any]) -> Tensor:
    """Any operation on tensors: compute, then write down."""
    nodes: tuple[Node | None, ...]
    if len(tensors) == 1:
        (x,) = tensors
        values, nodes = (x._value,), (x.node,)
    else:
        values, nodes = tuple([t._value for t in tensors]), tuple([t.node for t in tensors])
    return record(op, normal(computed(op, values, params)), values, nodes, params, 3)


def computed(op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The answer from plain values; what NumPy says against it is an error of the tree."""
    try:
        return op.value(*values, **params)
    except Exception as error:  # noqa: BLE001 - what is none of ours goes on as it is
        return _instead(error, op, values, params)


def _instead(error: Exception, op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The answer where numbers are asked of what has none yet; else the error that says what would do."""
    if isinstance(error, NumbersAskedError) and error.recorder is not None:
        return error.recorder.call(op, values, params)
    if isinstance(error, AutodiffError):
        raise error
    if isinstance(error, (ValueError, IndexError, MemoryError)):
        shapes = " and ".join(str(np.shape(v)) for v in _each(values))
        raise ShapeError(f"{op.name} of shapes {shapes}: {error}") from error
    if isinstance(error, (TypeError, OverflowError)):
        dtypes = " and ".join(str(np.asarray(v).dtype) for v in _each(values))
        why = "it has no meaning there; ak.cast(x, dtype) changes a dtype" if "not supported" in str(error) else error
        raise DtypeError(f"{op.name} of dtypes {dtypes}: {why}") from error
    raise error


def _each(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs; of an operation on a list its members."""
    return values[0] if len(values) == 1 and type(values[0]) is tuple else values


def _wide(value: Any, other: Any) -> Any:
    """A float64 scalar tensor beside an array is a float64 of NumPy's, which decides the result's dtype."""
    return np.float64(value) if type(value) is float and type(other) is not float else value


# -------------------------------------------------------------------------------- two fast shapes
# Nothing in the kit runs more often than the lines below: they are the cost of the eager tape on scalars. They do what
# `record` does, written out. A tensor with a record of its own is a Python float (arrays keep theirs on a node), so no
# type needs to be looked at. An open record remembers the frame of its last operation, since loops stay in it.


def unary(op: Op) -> Function:
    """The public face of an operation on one value."""
    scalar = op.scalar
    if scalar is None:
        return lambda x: _alone(op, x if type(x) is Tensor else lift(x))

    def call(x: Any) -> Any:
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
        if frame is not owner.frame:
            frame = _turn_to(owner, frame)
            if frame is None:
                return make(y)
        node = Tensor()
        node._value = y
        node.op = op.live
        node.parts = (x, y, z)
        node.record = owner
        node.cot = None
        node.code = owner.code
        node.lasti = frame.f_lasti
        page.append(node)
        return node

    return call


def on_value(op: Op, public: Function) -> Function:
    """The face of an operation that rules see: plain values stay plain."""
    value, scalar = op.value, op.scalar

    def call(x: Any) -> Any:
        if type(x) is float and scalar is not None:
            try:
                return scalar(x)
            except _SCALAR_TROUBLE:
                return normal(value(np.float64(x)))
        if type(x) is Dual:
            return carried(op, (x,), {})
        return public(x) if type(x) is Tensor else value(x)

    return call


def on_values(op: Op, public: Function) -> Function:
    """The same for two values."""
    value = op.value

    def call(a: Any, b: Any) -> Any:
        if type(a) is np.ndarray and type(b) is np.ndarray:
            return value(a, b)  # nearly all that rules ask for
        if type(a) is Dual or type(b) is Dual:
            return carried(op, (a, b), {})
        return public(a, b) if type(a) is Tensor or type(b) is Tensor else value(a, b)

    return call


def _scalar(op: Op, *x: float) -> Any:
    """An operation on Python floats; where Python raises, NumPy's infinity or nan."""
    try:
        if op.scalar is not None:
            return op.scalar(*x)
    except _SCALAR_TROUBLE:
        pass
    return normal(computed(op, tuple(map(np.float64, x)), {}))


def _alone(op: Op, x: Tensor) -> Tensor:
    """One operand that is not a scalar on an open record."""
    z = x._value
    if type(z) is not np.ndarray:
        y = _scalar(op, z) if type(z) is float else normal(computed(op, (z,), {}))
        return make(y) if (node := x.node) is None else record(op, y, (z,), (node,), None, 3)
    try:
        y = op.value(z)
    except Exception as error:  # noqa: BLE001 - what is none of ours goes on as it is
        y = _instead(error, op, (z,), {})
    if type(y) is not np.ndarray or not y.shape:
        y = normal(y)
    return make(y) if x._node is None else record(op, y, (z,), (x._node,), None, 3)


def binary(op: Op) -> Function:  # noqa: C901 - written out for speed
    """The public face of an operation on two values."""
    scalar = op.scalar
    if scalar is None:
        return lambda a, b: _apart(op, a, b) if type(a) is type(b) is Tensor else _apart(op, *_lifted(a, b))

    def call(a: Any, b: Any) -> Any:
        n: Tensor | None
        m: Tensor | None
        if type(a) is Tensor:
            owner = a.record
            if type(b) is Tensor:
                if b.record is not owner or owner is None:
                    return _apart(op, a, b)
                n, m = a, b
                x, z = a._value, b._value
            elif owner is not None and (type(b) is float or type(b) is int):
                n, m = a, None
                x, z = a._value, float(b)
            else:
                return _apart(op, a, b) if type(b) in LITERALS else call(a, lift(b))
        elif type(b) is Tensor:
            owner = b.record
            if owner is None or (type(a) is not float and type(a) is not int):
                return _apart(op, a, b) if type(a) in LITERALS else call(lift(a), b)
            n, m = None, b
            x, z = float(a), b._value
        else:
            return call(a, lift(b)) if type(a) in LITERALS else call(lift(a), b)
        if (page := owner.page) is None:
            return _apart(op, a, b)
        try:
            y = scalar(x, z)
        except _SCALAR_TROUBLE:
            return _apart(op, a, b)
        frame = _getframe(1)
        if frame is not owner.frame:
            frame = _turn_to(owner, frame)
            if frame is None:
                return make(y)
        node = Tensor()
        node._value = y
        node.op = op.live
        node.parts = (n, m, y, x, z)
        node.record = owner
        node.cot = None
        node.code = owner.code
        node.lasti = frame.f_lasti
        page.append(node)
        return node

    return call


LITERALS: set[type] = {float, int}
"""Types of numbers that are written down, and of what stands in for them."""


def _lifted(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands, at least one of them a tensor; a number beside a tensor stays a number."""
    if type(a) is not Tensor and not (type(a) in LITERALS and isinstance(b, Value)):
        a = lift(a)
    return a, b if type(b) is Tensor or (type(b) in LITERALS and type(a) is Tensor) else lift(b)


def _apart(op: Op, a: Any, b: Any) -> Any:
    """Two operands that are not scalars on one record: arrays, integers, or values of different records."""
    n = None if type(a) is not Tensor else a if a.record is not None else a._node
    m = None if type(b) is not Tensor else b if b.record is not None else b._node
    if type(a) is Tensor and type(b) is Tensor and type(a._value) is type(b._value):
        x, z = a._value, b._value
    else:
        x, z = _operand(a, b), _operand(b, a)
    if type(x) is type(z) is float:
        y = _scalar(op, x, z)
    else:
        try:
            y = op.value(x, z)
        except Exception as error:  # noqa: BLE001 - what is none of ours goes on as it is
            y = _instead(error, op, (x, z), {})
        if type(y) is not np.ndarray or not y.shape:
            y = normal(y)
    if n is None and m is None:
        return make(y)
    if type(x) is not type(z):
        x, z = x if type(x) is int else normal(x), z if type(z) is int else normal(z)
    return record(op, y, (x, z), (n, m), None, 3)


def _operand(a: Any, beside: Any) -> Any:
    """The value to compute with: a number that is written down takes its dtype from what stands beside it."""
    other = beside._value if type(beside) is Tensor else beside
    if type(a) is Tensor:
        return _wide(a._value, other)
    if type(a) is float:
        return a
    if type(a) is int:
        return float(a) if type(other) is float else a
    if isinstance(a, Standin):
        return a
    return lift(a)._value
