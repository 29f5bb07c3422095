"""How an operation runs: on plain values it computes, on tensors it computes and writes itself down.

Two shapes are written out for speed, operations of one and of two scalars without parameters; all others go through
:func:`record`.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.record import ArrayNode, Like, Node, Record, Several, unify
from autodiff_kit.core.tensor import Tensor, Value, lift, make, normal
from autodiff_kit.errors import AutodiffError, ShapeError

if TYPE_CHECKING:
    from autodiff_kit.core.rules import Op

__all__ = ["binary", "many", "on_value", "on_values", "record", "unary", "with_params"]

Function = Callable[..., Any]

_getframe = sys._getframe
_SCALAR_TROUBLE = (ZeroDivisionError, OverflowError, ValueError)


class _Ours(dict[str, bool]):
    """Whether a file is the kit's own; found out once a file, since every recorded operation asks."""

    def __missing__(self, filename: str) -> bool:
        self[filename] = filename.startswith(_HOME) and not filename.startswith(_USERS)
        return self[filename]


_HOME = str(Path(__file__).parents[1]) + os.sep
# These compute with the kit as a user does, and a line of theirs is as good a place as a user's.
_USERS = tuple(f"{_HOME}{part}{os.sep}" for part in ("widgets", "exercises", "lessons", "lab"))
_ours = _Ours()


def _turn_to(owner: Record | Several, frame: Any) -> Any:
    """The user's frame at or above ``frame``, and its code noted on the record for the operations that follow."""
    while frame.f_back is not None and _ours[frame.f_code.co_filename]:
        frame = frame.f_back
    owner.frame, owner.code = frame, frame.f_code
    return frame


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


def on_values(op: Op, public: Function) -> Function:
    """The same for two values."""
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


def binary(op: Op) -> Function:
    """The public face of an operation on two values."""
    scalar = op.scalar
    if scalar is None:
        return lambda a, b: _apart(op, *_lifted(a, b))

    def call(a: Any, b: Any) -> Any:
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
        if frame is not owner.frame:
            frame = _turn_to(owner, frame)
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


# -------------------------------------------------------------------------------- with parameters, or many inputs
def with_params(op: Op, arrays: int, parameters: Any, prepare: Function | None, public: bool) -> Function:
    """Either face of an operation that is told more than its arrays."""
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


def many(op: Op, arrays: int, parameters: Any, prepare: Function | None, public: bool) -> Function:
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
