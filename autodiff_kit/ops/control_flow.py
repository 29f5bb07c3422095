"""Functions that decide what runs: cond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff_kit.core.fast_dispatch import PYTHON_NUMBERS
from autodiff_kit.core.joint_record import records_of
from autodiff_kit.core.numpy_protocol import Value
from autodiff_kit.core.record import Node, Record, open_records
from autodiff_kit.core.tensor import Tensor, as_tensor, wrap
from autodiff_kit.core.tracer import as_own
from autodiff_kit.core.validation import check_callable, describe
from autodiff_kit.errors import (
    ArgumentError,
    AutodiffError,
    ConcretizationError,
    DtypeError,
    ShapeError,
    StructureError,
)
from autodiff_kit.ops.argument_binding import describe_structure
from autodiff_kit.ops.selection import select, where
from autodiff_kit.pytree import flatten, unflatten_like

Branch = Callable[..., Any]


def cond(pred: Any, true_fn: Branch, false_fn: Branch, *operands: Any) -> Any:
    """Run one of two functions, depending on a condition.

    Parameters
    ----------
    pred : bool or scalar Tensor
        The condition; a number counts as true unless it is 0.
    true_fn, false_fn : callable
        Take the operands; only the chosen one runs.
    *operands : object, optional
        Arguments of both functions.

    Returns
    -------
    object
        The return value of the chosen function.

    Raises
    ------
    StructureError, ShapeError
        Under :func:`compile` or :func:`vmap`, if the branches return other structures, shapes or dtypes.
    ArgumentError
        Under :func:`compile` or :func:`vmap`, if a branch reads a value that a tape follows and that is no operand.
    ConcretizationError
        Under :func:`compile` or :func:`vmap`, if a branch assigns to a variable.

    Notes
    -----
    **Gradient.** That of the function which ran. A source that only the other function reads gets None, not 0, because
    that function was not recorded.

    Under :func:`compile`, with a condition that depends on the arguments, both functions are traced, and each call
    computes both and selects. So does :func:`vmap`, with a condition that differs between the examples. Then an error
    or a warning of either comes whatever the condition is, and a Python number comes back as a tensor. The gradient of
    the function that is not chosen is set to 0 where the operands enter it, so an infinity or nan in it does not reach
    them; an operand that only this function reads gets 0, not None. A condition that is known during tracing runs one
    function, as without :func:`compile`.

    **Cost.** That of the function which ran; where both are traced, that of both and of their gradients.

    Examples
    --------
    >>> ak.cond(2.0 > 1.0, lambda: "yes", lambda: "no")
    'yes'
    >>> slope = ak.compile(ak.grad(lambda x: ak.cond(x > 0, ak.square, ak.negative, x)))
    >>> float(slope(3.0)), float(slope(-3.0)), slope.trace_count
    (6.0, -1.0, 1)
    """
    functions = check_callable("cond: true_fn", true_fn), check_callable("cond: false_fn", false_fn)
    condition = as_tensor(pred)
    try:
        chosen = functions[not bool(condition)]
    except ConcretizationError as error:
        if error.trace is None:
            raise
        return _select_of_both(condition._value.reshape(()) != 0, functions, operands)
    return chosen(*operands)


def _select_of_both(condition: Any, functions: tuple[Branch, Branch], operands: tuple[Any, ...]) -> Any:
    """Both branches while a function is traced, and the selection between their results; neither may assign."""
    outer, open_records.in_branch = open_records.in_branch, True
    try:
        results = [_run(f, name, operands, condition) for name, f in zip(_NAMES, functions, strict=True)]
    finally:
        open_records.in_branch = outer
    leaves = [flatten(result) for result in results]
    empty = [unflatten_like(r, [None] * len(parts)) for r, parts in zip(results, leaves, strict=True)]
    if empty[0] != empty[1]:
        raise StructureError(
            "cond: where both branches run, compiled or in vmap, they must return the same structure; true_fn returns "
            f"{describe_structure(results[0], leaves[0])}, false_fn {describe_structure(results[1], leaves[1])}"
        )
    return unflatten_like(results[0], [_select_leaf(condition, *pair) for pair in zip(*leaves, strict=True)])


_NAMES = ("true_fn", "false_fn")


def _run(function: Branch, name: str, operands: tuple[Any, ...], condition: Any) -> Any:
    """The result of one branch on operands that pass no gradient back where the branch is not taken."""
    flat = flatten(operands)
    records = [record for record in open_records.records if record.sink is not None]
    before = [len(_steps(record)) for record in records]
    inputs = [_gated(x, condition, name == "true_fn") for x in flat]
    gated = [len(_steps(record)) for record in records]
    result = function(*unflatten_like(operands, inputs)) if flat else function(*operands)
    for record, first, count in zip(records, before, gated, strict=True):
        steps = _steps(record)
        own = {_node_and_inputs(step)[0] for step in steps[first:count]}  # of operands, and of their tangents
        _check_that_operands_are_all(name, record, steps[count:], own)
    return result


def _gated(x: Any, condition: Any, taken: bool) -> Any:
    """An operand whose gradient is replaced by 0 where the condition is not ``taken``; its value does not change."""
    tensor = as_tensor(x) if isinstance(x, Value) else None
    if tensor is None or tensor.node is None:
        return x
    tensor = as_own(tensor)  # in the body of a loop the branch reads what is selected there
    constant = wrap(tensor._value)
    return select(tensor, constant, condition) if taken else select(constant, tensor, condition)


def _steps(record: Record) -> list[Any]:
    """What a record holds for a later reverse pass: nodes, or the history of forward over reverse."""
    return getattr(record, "history", None) or [] if record.forward else record.nodes


def _node_and_inputs(step: Any) -> tuple[Any, Any]:
    """The node of a step that a record holds, and the nodes that it read."""
    return (step, step.inputs) if isinstance(step, Node) else step[1:3]


def _is_followed(node: Any, record: Any) -> bool:
    """Whether a record follows the value of a node; forward modes follow only what has a tangent."""
    return record in records_of(node.record) and not (record.forward and record.tangent(node) is None)


def _check_that_operands_are_all(name: str, record: Record, steps: list[Any], own: set[Any]) -> None:
    """Raise if a branch reads a value of the record that is no operand: its gradient would not be cut."""
    for step in steps:
        node, inputs = _node_and_inputs(step)
        for n in inputs:
            if n is not None and n not in own and _is_followed(n, record):
                raise ArgumentError(
                    f"cond: {name} reads {_label(record, n)} from outside, and a tape follows it. Compiled or in "
                    "vmap, both branches run, and only the operands get no gradient from the one not taken. Make "
                    "it an operand: ak.cond(pred, true_fn, false_fn, x), where both functions take x."
                )
        own.add(node)


def _label(record: Record, node: Node) -> str:
    """A variable's name, if the node is the reading of a variable."""
    readings = record.readings.values()
    return next((r.variable._label() for r in readings if node in (r.first.node, r.latest.node)), "a value")


def _select_leaf(condition: Any, a: Any, b: Any) -> Any:
    """One value of both results, by the condition; what is the same object in both stays as it is."""
    if a is b:
        return a
    x, y = _number_or_tensor(a), _number_or_tensor(b)
    shapes = [getattr(z, "shape", ()) for z in (x, y)]
    if shapes[0] != shapes[1]:
        raise ShapeError(
            "cond: where both branches run, compiled or in vmap, they must return equal shapes; true_fn returns "
            f"{shapes[0]}, false_fn {shapes[1]}"
        )
    if isinstance(x, Tensor) and isinstance(y, Tensor) and x.dtype != y.dtype:
        raise StructureError(
            "cond: where both branches run, compiled or in vmap, they must return equal dtypes; true_fn returns "
            f"{x.dtype}, false_fn {y.dtype}. ak.cast(x, dtype) changes a dtype."
        )
    return where(condition, x, y)


def _number_or_tensor(value: Any) -> Any:
    """A Python number as it is, so that it takes the dtype of the other branch; all else as a tensor."""
    if type(value) in PYTHON_NUMBERS:
        return value
    try:
        return as_tensor(value)
    except (AutodiffError, TypeError, ValueError) as error:
        raise DtypeError(
            "cond: while a function is compiled the branches must return numbers, arrays or tensors, got "
            f"{describe(value)}"
        ) from error
