"""Fast dispatch of operations on one or two values without parameters, with the same results as :mod:`dispatch`.

The kit calls nothing more often than these functions: they are the cost of the eager tape on scalars. The common case,
scalars on one open record, is written in line. A tensor with a record of its own is a Python float (an array's record
is on its node), so no type is checked; and an open record remembers the frame of its last operation.
``benchmarks/eager_tape.py`` measures it; ``tests/core/test_fast_paths.py`` compares both ways for every operation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.array_spec import ArraySpec
from autodiff_kit.core.dispatch import apply_op, compute, enter_frame, explain_failure, record_op
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.record import ArrayNode
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import Tracer

if TYPE_CHECKING:
    from autodiff_kit.core.operation import Op

__all__ = [
    "FLOAT_ERRORS",
    "PYTHON_NUMBERS",
    "binary_function",
    "comparison_function",
    "plain_function",
    "unary_function",
]

Function = Callable[..., Any]

_getframe = sys._getframe
FLOAT_ERRORS = (ZeroDivisionError, OverflowError, ValueError)  # where Python raises, NumPy gives inf or nan


def plain_function(op: Op) -> Function:
    """The public function of an operation on one or two values as a reader follows it: by :func:`apply_op`."""

    def call(*operands: Any) -> Any:
        if len(operands) == 2:
            a, b = _as_operands(*operands)
            if type(a) is not Tensor or type(b) is not Tensor or type(a._value) is not type(b._value):
                return _apply_binary(op, a, b)  # a number beside an array, which decides its dtype
            return apply_op(op, (a, b), {})
        (x,) = operands
        return apply_op(op, (as_tensor(x),), {})

    return call


def unary_function(op: Op) -> Function:
    """The public function of an operation on one value."""
    scalar = op.scalar
    if scalar is None:
        return lambda x: _apply_unary(op, x if type(x) is Tensor else as_tensor(x))

    def call(x: Any) -> Any:
        try:
            record = x.record
        except AttributeError:  # a variable, an array, a number
            x = as_tensor(x)
            record = x.record
        if record is None or (sink := record.sink) is None:
            return _apply_unary(op, x)
        z = x._value
        try:
            y = scalar(z)
        except FLOAT_ERRORS:
            return _apply_unary(op, x)
        frame = _getframe(1)
        if frame is not record.frame:
            frame = enter_frame(record, frame)
            if frame is None:
                return wrap(y)
        node = Tensor()
        node._value = y
        node.op = op.active
        node.parts = (x, y, z)
        node.record, node.cotangent = record, None
        node.code, node.lasti = record.code, frame.f_lasti
        sink.append(node)
        return node

    return call


def _compute_scalar(op: Op, *x: float) -> Any:
    """An operation on Python floats; where Python raises an exception, NumPy's infinity or nan."""
    try:
        if op.scalar is not None:
            return op.scalar(*x)
    except FLOAT_ERRORS:
        pass
    return canonical(compute(op, tuple(map(np.float64, x)), {}))


def _apply_unary(op: Op, x: Tensor) -> Tensor:
    """One operand that is not a scalar on an open record: an array, an integer, or a value that no tape follows."""
    z = x._value
    if type(z) is not np.ndarray:
        y = _compute_scalar(op, z) if type(z) is float else canonical(compute(op, (z,), {}))
        return wrap(y) if (node := x.node) is None else record_op(op, y, (z,), (node,), None, 3)
    try:
        y = op.value(z)
    except Exception as error:  # noqa: BLE001 - an unknown exception is raised again
        y = explain_failure(error, op, (z,), {})
    if type(y) is not np.ndarray or not y.shape:
        y = canonical(y)
    return wrap(y) if x._node is None else record_op(op, y, (z,), (x._node,), None, 3)


def binary_function(op: Op) -> Function:  # noqa: C901 - written out for speed
    """The public function of an operation on two values."""
    scalar = op.scalar
    if scalar is None:
        return lambda a, b: (
            _apply_binary(op, a, b) if type(a) is type(b) is Tensor else _apply_binary(op, *_as_operands(a, b))
        )

    def call(a: Any, b: Any) -> Any:
        n: Tensor | None
        m: Tensor | None
        if type(a) is Tensor:
            record = a.record
            if type(b) is Tensor:
                if b.record is not record or record is None:
                    return _apply_binary(op, a, b)
                n, m = a, b
                x, z = a._value, b._value
            elif record is not None and (type(b) is float or type(b) is int):
                n, m = a, None
                x, z = a._value, float(b)
            else:
                return _apply_binary(op, a, b) if type(b) in PYTHON_NUMBERS else call(a, as_tensor(b))
        elif type(b) is Tensor:
            record = b.record
            if record is None or (type(a) is not float and type(a) is not int):
                return _apply_binary(op, a, b) if type(a) in PYTHON_NUMBERS else call(as_tensor(a), b)
            n, m = None, b
            x, z = float(a), b._value
        else:
            return call(a, as_tensor(b)) if type(a) in PYTHON_NUMBERS else call(as_tensor(a), b)
        if (sink := record.sink) is None:
            return _apply_binary(op, a, b)
        try:
            y = scalar(x, z)
        except FLOAT_ERRORS:
            return _apply_binary(op, a, b)
        frame = _getframe(1)
        if frame is not record.frame:
            frame = enter_frame(record, frame)
            if frame is None:
                return wrap(y)
        node = Tensor()
        node._value = y
        node.op = op.active
        node.parts = (n, m, y, x, z)
        node.record, node.cotangent = record, None
        node.code, node.lasti = record.code, frame.f_lasti
        sink.append(node)
        return node

    return call


def comparison_function(op: Op) -> Function:
    """The public function of a comparison of two values: loops with a condition ask it in each step."""
    scalar = op.scalar

    def call(a: Any, b: Any) -> Any:
        record = a.record if type(a) is Tensor else None
        if record is None or (sink := record.sink) is None:
            return _apply_binary(op, *_as_operands(a, b))
        if type(b) is Tensor and b.record is record:
            m, x, z = b, a._value, b._value
        elif type(b) is float or type(b) is int:
            m, x, z = None, a._value, float(b)
        else:
            return _apply_binary(op, *_as_operands(a, b))
        y = scalar(x, z)  # type: ignore[misc]
        frame = _getframe(1)
        if frame is not record.frame:
            frame = enter_frame(record, frame)
            if frame is None:
                return wrap(y)
        node = ArrayNode()
        node.spec = ArraySpec.of(y)
        node.op = op.active
        node.parts = (a, m, y, x, z)
        node.record, node.cotangent = record, None
        node.code, node.lasti = record.code, frame.f_lasti
        sink.append(node)
        return wrap(y, node)

    return call


PYTHON_NUMBERS: set[type] = {float, int}
"""Types that take their dtype from the other operand: Python's numbers, and symbolic values in their place."""


def _as_operands(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands, at least one of them a tensor; a number next to a tensor or an array stays a number."""
    if type(a) is not Tensor and (type(a) not in PYTHON_NUMBERS or type(b) in PYTHON_NUMBERS):
        a = as_tensor(a)
    return a, b if type(b) is Tensor or (type(b) in PYTHON_NUMBERS and type(a) is Tensor) else as_tensor(b)


def _apply_binary(op: Op, a: Any, b: Any) -> Any:
    """Two operands that are not scalars on one record: arrays, integers, or values of different records."""
    n = None if type(a) is not Tensor else a if a.record is not None else a._node
    m = None if type(b) is not Tensor else b if b.record is not None else b._node
    if type(a) is Tensor and type(b) is Tensor and type(a._value) is type(b._value):
        x, z = a._value, b._value
    else:
        x, z = _operand_value(a, b), _operand_value(b, a)
    if type(x) is type(z) is float:
        y = _compute_scalar(op, x, z)
    else:
        try:
            y = op.value(x, z)
        except Exception as error:  # noqa: BLE001 - an unknown exception is raised again
            y = explain_failure(error, op, (x, z), {})
        if type(y) is not np.ndarray or not y.shape:
            y = canonical(y)
    if n is None and m is None:
        return wrap(y)
    if type(x) is not type(z) and type(y) is float:  # two numbers: rules compute in the dtype of the output
        x, z = float(x), float(z)
    return record_op(op, y, (x, z), (n, m), None, 3)


def _operand_value(a: Any, beside: Any) -> Any:
    """The value to compute with: a Python number takes its dtype from the other operand."""
    other = beside._value if type(beside) is Tensor else beside
    if type(a) is Tensor:  # a float64 tensor decides the dtype of the result, which a Python number does not
        return np.float64(a._value) if type(a._value) is float and type(other) is not float else a._value
    if type(a) is float or type(a) is int:
        return float(a) if type(other) is float else a
    return a if isinstance(a, Tracer) else as_tensor(a)._value
