"""Forward and reverse passes over a tape, one step at a time, for animations and tables that show each contribution.

A reverse pass is :func:`~autodiff_kit.core.backward.backward` itself, asked for each part of a cotangent. Record with
:func:`value_keeping_tape`, list its values with :func:`tape_values`, and step with :func:`forward_steps` and
:func:`reverse_steps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR, ArraySpec
from autodiff_kit.core.backward import backward, input_cotangents
from autodiff_kit.core.cotangent_scope import CotangentScope
from autodiff_kit.core.modes import each_cotangent_to
from autodiff_kit.core.numpy_protocol import unwrap
from autodiff_kit.core.record import Node
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import TapeError
from autodiff_kit.transforms.node_tangent import output_tangent

__all__ = [
    "CotangentStep",
    "LocalSlope",
    "TangentStep",
    "TapeValue",
    "forward_steps",
    "local_slopes",
    "reverse_steps",
    "tape_values",
    "value_keeping_tape",
]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class TapeValue:
    """A leaf or an operation of a tape with its value: one row of the table that a stepper shows.

    Attributes
    ----------
    name : str
        Name of the leaf, or the operation and its number.
    op : str
        The operation; "input" for a leaf.
    value : ndarray
    inputs : tuple of int
        Rows of its inputs.
    params : dict
        Parameters of the operation, such as an index or an axis.
    constants : tuple
        For each operand: None if it is a row, else the constant number or array.
    """

    name: str
    op: str
    value: Array
    inputs: tuple[int, ...]
    params: dict[str, Any]
    constants: tuple[Any, ...] = ()


@dataclass(frozen=True)
class TangentStep:
    """One step of forward mode: ``row`` gets the tangent ``value``, computed from those of the rows ``inputs``."""

    row: int
    inputs: tuple[int, ...]
    value: Array
    note: str


@dataclass(frozen=True)
class CotangentStep:
    """One step of reverse mode: ``row`` adds ``part`` to the cotangent of row ``to``, which is now ``total``.

    The seed of the target comes from no row, so its ``row`` is None.
    """

    row: int | None
    to: int
    part: Array
    total: Array
    note: str


@dataclass(frozen=True)
class LocalSlope:
    """The derivative of the number in row ``row`` with respect to the number in row ``source``, which it reads."""

    source: int
    row: int
    slope: float


def value_keeping_tape() -> GradientTape:
    """A persistent tape that keeps the value of every operation, so that each can be shown.

    Examples
    --------
    >>> from autodiff_kit.diagnostics import stepping
    >>> x = ak.constant([2.0, 3.0], name="x")
    >>> with stepping.value_keeping_tape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> [row.op for row in stepping.tape_values(tape)]
    ['input', 'multiply']
    """
    tape = GradientTape(persistent=True)
    tape._record.keep_all = True
    return tape


def _row_numbers(tape: GradientTape) -> dict[Node, int]:
    """The row of every node: leaves first, in the order of their first use, then operations."""
    nodes = tape._record.nodes
    own = set(nodes)
    leaves = [n for node in nodes for n in node.inputs if n is not None and n not in own]
    rows = {n: k for k, n in enumerate(dict.fromkeys(leaves))}
    return rows | {n: len(rows) + k for k, n in enumerate(nodes)}


def tape_values(tape: GradientTape) -> tuple[TapeValue, ...]:
    """All values on a tape: leaves first, then operations in execution order.

    Parameters
    ----------
    tape : GradientTape
        From :func:`value_keeping_tape`.

    Raises
    ------
    TapeError
        If the tape did not keep its values.
    """
    rows = _row_numbers(tape)
    names, values = _leaf_names(tape), _leaf_values(tape)
    leaf_count = len(rows) - len(tape._record.nodes)
    found = []
    for node, k in rows.items():
        if k < leaf_count:
            value = values.get(node, node._value if isinstance(node, Tensor) else np.nan)
            found.append(TapeValue(names.get(node, f"input {k}"), "input", np.asarray(value), (), {}))
        else:
            value = node.saved[0] if node.saved is not None else None
            if value is None or type(value) is ArraySpec:
                raise TapeError("this tape did not keep its values; record with stepping.value_keeping_tape()")
            inputs = tuple(rows[n] for n in node.inputs if n is not None)
            constants = tuple(
                None if n is not None else x for n, x in zip(node.inputs, (node.saved or ())[1:], strict=True)
            )
            params = node.params
            name = f"{node.op.name} {k}"
            found.append(TapeValue(name, node.op.name, np.asarray(value), inputs, params, constants))
    return tuple(found)


def _leaves(tape: GradientTape) -> list[tuple[Any, Tensor]]:
    return [*((r.variable, r.first) for r in tape._record.readings.values()), *((t, t) for t in tape._watched)]


def _leaf_names(tape: GradientTape) -> dict[Node, str]:
    return {t.node: v.name for v, t in _leaves(tape) if t.node is not None and v.name}


def _leaf_values(tape: GradientTape) -> dict[Node, Any]:
    return {t.node: t._value for _, t in _leaves(tape) if t.node is not None}


def _format_number(x: Any) -> str:
    """A number in a note: four digits, with the Unicode minus sign."""
    return f"{float(x):.4g}".replace("-", "−", 1)


def _format_factor(x: Any) -> str:
    """A number inside a product or a sum: in parentheses if it is negative."""
    text = _format_number(x)
    return f"({text})" if text.startswith("−") else text


def _format_value(x: Any) -> str:
    array = np.asarray(unwrap(x))
    if array.ndim == 0:
        return _format_number(array)
    if array.size > 4:
        return f"{array.size} numbers"
    return "[" + ", ".join(map(_format_number, array.ravel())) + "]"


def forward_steps(tape: GradientTape, sources: Sequence[Any], tangents: Sequence[Any]) -> list[TangentStep]:
    """The steps of forward mode, from tangents of the sources: one for each row that gets a tangent."""
    rows = _row_numbers(tape)
    known: dict[Node, Any] = {}
    events = []
    for source, tangent in zip(sources, tangents, strict=True):
        node = _node_of(tape, source)
        known[node] = np.asarray(unwrap(tangent), (node.spec or SCALAR).dtype)
        if node in rows:
            events.append(
                TangentStep(rows[node], (), np.asarray(known[node]), f"seed: the tangent is {_format_value(tangent)}")
            )
    for node in tape._record.nodes:
        incoming = tuple(None if n is None else known.get(n) for n in node.inputs)
        if all(t is None for t in incoming):
            continue
        tangent = output_tangent(node, incoming)
        if tangent is not None:
            known[node] = tangent
            contributing = tuple(
                rows[n] for n, t in zip(node.inputs, incoming, strict=True) if t is not None and n is not None
            )
            events.append(
                TangentStep(rows[node], contributing, np.asarray(tangent), _tangent_note(node, incoming, tangent))
            )
    return events


def _tangent_note(node: Node, incoming: tuple[Any, ...], tangent: Any) -> str:
    values = (node.saved or ())[1:]
    name, out = node.op.name, _format_value(tangent)
    if name == "multiply" and np.ndim(tangent) == 0:
        terms = [
            f"{_format_factor(t)}·{_format_factor(other)}"
            for t, other in zip(incoming, reversed(values), strict=True)
            if t is not None and type(other) is not ArraySpec
        ]
        return f"product: {' + '.join(terms)} = {out}"
    if name == "square" and np.ndim(tangent) == 0:
        return f"square: 2·{_format_factor(values[0])}·{_format_factor(incoming[0])} = {out}"
    if name in ("add", "subtract") and np.ndim(tangent) == 0:
        sign = " + " if name == "add" else " − "
        return f"{name}: {sign.join(_format_factor(t) for t in incoming if t is not None)} = {out}"
    return f"{_operation_title(node)}: the tangent is {out}"


def _operation_title(node: Node) -> str:
    if node.op.name == "getitem":
        index = node.params["index"]
        return f"entry {index[-1] if index else index}"  # x[()] is the whole of x
    return str(node.op.name)


def reverse_steps(tape: GradientTape, target: Any, seed: Any = None) -> list[CotangentStep]:
    """The steps of reverse mode, from the cotangent of the target: one for each contribution to a cotangent."""
    rows = _row_numbers(tape)
    end = _node_of(tape, target)
    like = end.spec or SCALAR
    start = np.ones(like.shape, like.dtype) if seed is None else np.asarray(unwrap(seed), like.dtype)
    events = [CotangentStep(None, rows[end], start, start, f"seed: the cotangent is {_format_value(start)}")]

    def note(_nodes: list[Node], node: Node, _g: Any, n: Node, part: Any) -> None:
        before = n.cotangent
        total = part if before is None else before + part
        text = _cotangent_note(node, rows[node], rows[n], part, before)
        events.append(CotangentStep(rows[node], rows[n], np.array(part), np.array(total), text))

    nodes = tape._record.nodes
    with CotangentScope(nodes, (*tape._leaves(), end)), each_cotangent_to(note):
        end.cotangent = start
        backward(nodes)
    return events


def _cotangent_note(node: Node, row: int, to: int, part: Any, before: Any) -> str:
    how = f"{_operation_title(node)} (row {row})"
    if before is None:
        return f"{how} hands {_format_value(part)} to row {to}"
    return f"{how} adds {_format_value(part)} to the {_format_value(before)} of row {to}"


def local_slopes(tape: GradientTape) -> list[LocalSlope]:
    """The slope of every operation on numbers, one for each number that it reads, in the order of the tape.

    Examples
    --------
    >>> from autodiff_kit.diagnostics import stepping
    >>> a, b = ak.constant(2.0), ak.constant(5.0)
    >>> with stepping.value_keeping_tape() as tape:
    ...     tape.watch(a)
    ...     tape.watch(b)
    ...     y = a * b
    >>> [edge.slope for edge in stepping.local_slopes(tape)]
    [5.0, 2.0]
    """
    rows = _row_numbers(tape)
    return [
        LocalSlope(rows[n], rows[node], float(part))
        for node in tape._record.nodes
        if (node.spec or SCALAR).shape == ()
        for n, part in input_cotangents(node, np.float64(1.0))
    ]


def _node_of(tape: GradientTape, value: Any) -> Node:
    node = tape._node_of(value) if isinstance(value, (Tensor, Variable)) else None
    if node is None:
        raise TapeError("this value is not on the tape; watch it, or compute it inside the block")
    return node
