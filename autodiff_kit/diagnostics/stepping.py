"""A record, step by step: for those who want to watch a sweep rather than have its result.

The ordinary sweeps pay nothing for this. Here every contribution is an event of its own, in the order of the sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.backward import SCALAR, pull_node
from autodiff_kit.core.forward import push_node
from autodiff_kit.core.record import Like, Node
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Variable, plain
from autodiff_kit.errors import TapeError

__all__ = ["Pull", "Push", "Row", "pull", "push", "rows", "watched_tape"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Row:
    """One line of the table: a leaf or an operation.

    Attributes
    ----------
    name : str
        Name of the leaf, or the operation and its number.
    op : str
        The operation; "input" for a leaf.
    value : ndarray
    inputs : tuple of int
        The rows that it reads.
    params : dict
        What the operation was told, such as an index or an axis.
    constants : tuple
        For each operand: None where it is a row, else the number or array that was used.
    """

    name: str
    op: str
    value: Array
    inputs: tuple[int, ...]
    params: dict[str, Any]
    constants: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Push:
    """A tangent has reached a row, from the rows ``inputs``; ``slopes`` are the input values that it was made with."""

    row: int
    inputs: tuple[int, ...]
    value: Array
    note: str


@dataclass(frozen=True)
class Pull:
    """The cotangent of ``row`` has handed ``part`` to row ``to``, which now has ``total``; a seed has no row."""

    row: int | None
    to: int
    part: Array
    total: Array
    note: str


def watched_tape() -> GradientTape:
    """A persistent tape that keeps every value on its record, so that it can be shown.

    Examples
    --------
    >>> from autodiff_kit.core import steps
    >>> x = ak.constant([2.0, 3.0], name="x")
    >>> with steps.watched_tape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> [row.op for row in steps.rows(tape)]
    ['input', 'multiply']
    """
    tape = GradientTape(persistent=True)
    tape._record.keep = True
    return tape


def _order(tape: GradientTape) -> dict[Node, int]:
    """Every node with its row: leaves first, in the order of their first use."""
    nodes = tape._record.nodes
    leaves = [n for node in nodes for n in node.inputs if n is not None and n.op is None]
    order = {n: k for k, n in enumerate(dict.fromkeys(leaves))}
    return order | {n: len(order) + k for k, n in enumerate(nodes)}


def rows(tape: GradientTape) -> tuple[Row, ...]:
    """The record of a :func:`watched_tape` as rows: leaves first, then operations in the order in which they ran.

    Raises
    ------
    TapeError
        If the tape let go of its values.
    """
    order = _order(tape)
    names, values = _leaf_names(tape), _leaf_values(tape)
    found = []
    for node, k in order.items():
        if node.op is None:
            found.append(Row(names.get(node, f"input {k}"), "input", np.asarray(values.get(node, np.nan)), (), {}))
        else:
            value = node.saved[0] if node.saved is not None else None
            if value is None or type(value) is Like:
                raise TapeError("this tape holds no values to show; record with steps.watched_tape()")
            inputs = tuple(order[n] for n in node.inputs if n is not None)
            constants = tuple(
                None if n is not None else x for n, x in zip(node.inputs, (node.saved or ())[1:], strict=True)
            )
            params = node.params
            name = f"{node.op.name} {k}"
            found.append(Row(name, node.op.name, np.asarray(value), inputs, params, constants))
    return tuple(found)


def _leaves(tape: GradientTape) -> list[tuple[Any, Tensor]]:
    return [*((r.variable, r.first) for r in tape._record.leaves.values()), *((t, t) for t in tape._watched)]


def _leaf_names(tape: GradientTape) -> dict[Node, str]:
    return {t.node: v.name for v, t in _leaves(tape) if t.node is not None and v.name}


def _leaf_values(tape: GradientTape) -> dict[Node, Any]:
    return {t.node: t._value for _, t in _leaves(tape) if t.node is not None}


def _number(x: Any) -> str:
    """A number as a note shows it: short, with a true minus."""
    return f"{float(x):.4g}".replace("-", "−", 1)


def _factor(x: Any) -> str:
    """A number inside a product or a sum: bracketed where it is negative."""
    text = _number(x)
    return f"({text})" if text.startswith("−") else text


def _show(x: Any) -> str:
    array = np.asarray(plain(x))
    if array.ndim == 0:
        return _number(array)
    if array.size > 4:
        return f"{array.size} numbers"
    return "[" + ", ".join(map(_number, array.ravel())) + "]"


def push(tape: GradientTape, sources: Sequence[Any], tangents: Sequence[Any]) -> list[Push]:
    """Tangents from the sources downwards, one event a row."""
    order = _order(tape)
    held: dict[Node, Any] = {}
    events = []
    for source, tangent in zip(sources, tangents, strict=True):
        node = _node(tape, source)
        held[node] = np.asarray(plain(tangent), (node.like or SCALAR).dtype)
        if node in order:
            events.append(Push(order[node], (), np.asarray(held[node]), f"seed: the tangent is {_show(tangent)}"))
    for node in tape._record.nodes:
        incoming = tuple(None if n is None else held.get(n) for n in node.inputs)
        if all(t is None for t in incoming):
            continue
        tangent = push_node(node, incoming)
        if tangent is not None:
            held[node] = tangent
            came = tuple(
                order[n] for n, t in zip(node.inputs, incoming, strict=True) if t is not None and n is not None
            )
            events.append(Push(order[node], came, np.asarray(tangent), _push_note(node, incoming, tangent)))
    return events


def _push_note(node: Node, incoming: tuple[Any, ...], tangent: Any) -> str:
    values = (node.saved or ())[1:]
    name, out = node.op.name, _show(tangent)
    if name == "multiply" and np.ndim(tangent) == 0:
        terms = [
            f"{_factor(t)}·{_factor(other)}"
            for t, other in zip(incoming, reversed(values), strict=True)
            if t is not None and type(other) is not Like
        ]
        return f"product: {' + '.join(terms)} = {out}"
    if name == "square" and np.ndim(tangent) == 0:
        return f"square: 2·{_factor(values[0])}·{_factor(incoming[0])} = {out}"
    if name in ("add", "subtract") and np.ndim(tangent) == 0:
        sign = " + " if name == "add" else " − "
        return f"{name}: {sign.join(_factor(t) for t in incoming if t is not None)} = {out}"
    return f"{_title(node)}: the tangent is {out}"


def _title(node: Node) -> str:
    if node.op.name == "getitem":
        return f"entry {node.params['index'][-1]}"
    return str(node.op.name)


def pull(tape: GradientTape, target: Any, seed: Any = None) -> list[Pull]:
    """Cotangents from the target upwards, one event for each contribution."""
    order = _order(tape)
    end = _node(tape, target)
    like = end.like or SCALAR
    start = np.ones(like.shape, like.dtype) if seed is None else np.asarray(plain(seed), like.dtype)
    held: dict[Node, Any] = {end: start}
    events = [Pull(None, order[end], start, start, f"seed: the cotangent is {_show(start)}")]
    for node in reversed(tape._record.nodes):
        g = held.get(node)
        if g is None:
            continue
        for n, part in pull_node(node, g, 0, False, None):
            before = held.get(n)
            held[n] = part if before is None else before + part
            note = _pull_note(node, order[node], order[n], part, before)
            events.append(Pull(order[node], order[n], np.asarray(part), np.asarray(held[n]), note))
    return events


def _pull_note(node: Node, row: int, to: int, part: Any, before: Any) -> str:
    how = f"{_title(node)} (row {row})"
    if before is None:
        return f"{how} hands {_show(part)} to row {to}"
    return f"{how} adds {_show(part)} to the {_show(before)} of row {to}"


def _node(tape: GradientTape, value: Any) -> Node:
    node = tape._node_of(value) if isinstance(value, (Tensor, Variable)) else None
    if node is None:
        raise TapeError("this value is not on the tape: watch it, or compute it inside the block")
    return node
