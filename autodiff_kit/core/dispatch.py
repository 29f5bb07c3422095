"""Dispatch: the one function by which an operation runs. It computes the output and adds a node to the open record.

:func:`apply_op` is short: take the values out of the tensors, :func:`compute` the output with NumPy, and
:func:`record_op` it where a tape follows one of the inputs. Operations with parameters, or on a list of arrays, first
bind their arguments (:mod:`autodiff_kit.ops.argument_binding`). Operations on one or two values have a faster
implementation with the same result (:mod:`autodiff_kit.core.fast_dispatch`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.core.array_spec import NUMBERS, ArraySpec
from autodiff_kit.core.joint_record import JointRecord, common_record
from autodiff_kit.core.numpy_protocol import canonical
from autodiff_kit.core.record import ArrayNode, Node, Record, stand_in
from autodiff_kit.core.source_location import is_kit_file, user_frame
from autodiff_kit.core.tensor import Tensor, wrap
from autodiff_kit.errors import AutodiffError, ConcretizationError, DtypeError, ShapeError

if TYPE_CHECKING:
    from autodiff_kit.core.operation import Op

__all__ = ["apply_op", "compute", "enter_frame", "explain_failure", "record_op"]


_getframe = sys._getframe
_ONE_INPUT = (True,)


def apply_op(op: Op, tensors: tuple[Tensor, ...], params: dict[str, Any]) -> Tensor:
    """Run an operation on tensors: compute the output, then record it."""
    values, nodes = tuple([t._value for t in tensors]), tuple([t.node for t in tensors])
    return record_op(op, canonical(compute(op, values, params)), values, nodes, params, 3)


def compute(op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The output of an operation on plain values; NumPy's exceptions become errors of the kit."""
    try:
        return op.value(*values, **params)
    except Exception as error:  # noqa: BLE001 - an unknown exception is raised again
        return explain_failure(error, op, values, params)


def explain_failure(error: Exception, op: Op, values: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Raise the error that says which shapes or dtypes did not fit. A call on symbolic values is recorded instead."""
    if isinstance(error, ConcretizationError) and error.trace is not None:
        return error.trace.call(op, values, params)
    if isinstance(error, AutodiffError):
        raise error
    each = values[0] if len(values) == 1 and type(values[0]) is tuple else values
    if isinstance(error, (ValueError, IndexError, MemoryError)):
        shapes = " and ".join(str(np.shape(x)) for x in each)
        raise ShapeError(f"{op.name} of shapes {shapes}: {error}") from error
    if isinstance(error, (TypeError, OverflowError)):
        dtypes = " and ".join(str(x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype) for x in each)
        unsupported = any(words in str(error) for words in ("not supported", "did not contain a loop"))
        why = "it does not support them; ak.cast(x, dtype) changes a dtype" if unsupported else error
        raise DtypeError(f"{op.name} of dtypes {dtypes}: {why}") from error
    raise error


def record_op(  # noqa: C901 - written out for speed
    op: Op,
    y: Any,
    values: tuple[Any, ...],
    nodes: tuple[Node | None, ...],
    params: dict[str, Any] | None = None,
    up: int = 1,
) -> Tensor:
    """The output ``y`` as a tensor; where an open record follows one of the inputs, also as a node of that record.

    Parameters
    ----------
    op : Op
    y : float, ndarray or NumPy scalar
        The output, in canonical form.
    values : tuple
        The inputs.
    nodes : tuple of Node or None
        The node of each input; None for a constant.
    params : dict, optional
    up : int, optional
        The number of frames from this one to the first that may be the user's; those between belong to the kit.
    """
    record = None
    for n in nodes:
        if n is not None and n.record is not record:
            if record is not None:
                record, nodes = common_record(nodes)  # None in place of nodes that are on no open record
                break
            record = n.record
    if record is None or (sink := record.sink) is None:
        return wrap(y)
    if record.take is not None and (taken := record.take(op.active, y, values, nodes, params)) is not None:
        return taken  # type: ignore[no-any-return]
    frame = _getframe(up)
    if frame is not record.frame and (frame := _user_frame(record, frame)) is None:
        return wrap(y)
    node: Any = (tensor := Tensor())
    tensor._value, spec = y, None
    if type(y) is not float:
        record.has_arrays = True
        tensor.record = None
        node = tensor._node = ArrayNode()
        spec = None if n is None else n.spec  # of the last input: often the output's too, and faster than a new one
        if spec is None or spec.dtype is not y.dtype or spec.shape != y.shape:
            spec = ArraySpec.of(y)
        node.spec = spec
    elif not record.has_arrays and any(type(value) is np.ndarray for value in values):
        record.has_arrays = True
    op = node.op = op.active
    if op.residual is not None and type(y) is np.ndarray:
        values = op.residual(y, *values)
    if record.keep_all:  # for diagnostics
        node.parts = *nodes, y, *values
    elif len(nodes) == 2:  # this case and the next are most nodes
        (n, m), (a, b) = nodes, values
        needs_y, needs_a, needs_b = op.needed_values((n is not None, m is not None))
        node.parts = (
            n, m, y if needs_y else spec or y,
            a if needs_a or type(a) in NUMBERS else n.spec if n is not None else ArraySpec.of(a),
            b if needs_b or type(b) in NUMBERS else m.spec if m is not None else ArraySpec.of(b),
        )  # fmt: skip
    elif n is not None and len(nodes) == 1:
        needs_y, needs_x = op.needed_values(_ONE_INPUT)
        node.parts = n, y if needs_y else spec or y, values[0] if needs_x else n.spec or values[0]
    else:
        needed = op.needed_values(tuple([n is not None for n in nodes]))
        saved = zip(needed, (y, *values), (node, *nodes), strict=True)
        node.parts = *nodes, *[x if needs else getattr(n, "spec", None) or stand_in(x) for needs, x, n in saved]
    node.record, node.cotangent = record, None
    if params:
        node.given = params
    node.code, node.lasti = record.code, frame.f_lasti
    sink.append(node)
    return tensor


def enter_frame(record: Record | JointRecord, frame: Any) -> Any:
    """The user's frame at or above ``frame``. The record remembers it for the operations that follow.

    Returns None in a thread that did not open the record, because operations of other threads are not recorded.
    """
    if not record.in_this_thread():
        return None
    frame = user_frame(frame)
    record.frame, record.code = frame, frame.f_code
    return frame


def _user_frame(record: Record | JointRecord, frame: Any) -> Any:
    """The user's frame, found from inside the kit; usually the one in which the record's last operation ran."""
    last = record.frame
    while frame is not last and is_kit_file(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame if frame is last else enter_frame(record, frame)
