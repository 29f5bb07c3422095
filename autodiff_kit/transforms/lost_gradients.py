"""Warnings where a function's own gradient loses a part: a followed value became a plain number, and came back as one.

``tape.explain`` answers whoever has a tape. ``grad`` and its relatives make one that nobody sees, and give 0 or a part
of the gradient. So they look at the marks of their record once the function has returned, which are few, and only
where there are any. A mark counts if

* the value depends on what is differentiated, and is of floating numbers;
* the number can have come back: later operations that the result needs read a constant, or a result is on no record;
* the text of the line does more than show, compare or count by it (:mod:`.value_use`).
"""

from __future__ import annotations

import ast
import warnings
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from autodiff_kit.core.backward import reachable
from autodiff_kit.core.operation import v
from autodiff_kit.core.path_breaks import PathBreak
from autodiff_kit.core.record import Node, Record, open_records
from autodiff_kit.core.source_location import SourceLocation, location_of
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.errors import LostGradientWarning
from autodiff_kit.pytree import flatten
from autodiff_kit.transforms.value_use import expression_at, is_only_looked_at, name_of_call

__all__ = ["warn_of_lost_gradients"]

_judged: WeakKeyDictionary[Record, frozenset[Any]] = WeakKeyDictionary()
"""By record: the lines about which a transform inside of it has said, or decided, all there is to say."""
_shown: dict[Any, Any] = {}
"""Python's own note of what was shown: by default a line warns once in a process."""


def warn_of_lost_gradients(record: Record, sources: Any, results: Any) -> None:
    """Warn once for each line on which a part of the derivative of some results by some sources was lost.

    Parameters
    ----------
    record : Record
        Of a tape or a forward accumulator that the kit made; the function has returned.
    sources, results : pytree of Tensor or Variable
    """
    marks = [m for m in record.path_breaks if m.kind == "outside" or (m.kind == "left" and _counts(m))]
    if not marks:
        return
    scope = (open_records.records or [record])[0]  # of nested transforms, the innermost judges and the outermost notes
    find = _lost_forward if record.forward else _lost
    lost = find(record, marks, flatten(sources), flatten(results))
    lines = {location_of(m.code, m.lasti)[:2]: m for m in (*marks, *lost)}
    judged = _judged.get(scope, frozenset())
    _judged[scope] = judged | lines.keys()
    for (cell, line), mark in lines.items():
        if mark in lost and (cell, line) not in judged:
            text = _message(mark, location_of(mark.code, mark.lasti))
            warnings.warn_explicit(text, LostGradientWarning, cell, line or 1, registry=_shown)


def _counts(mark: PathBreak) -> bool:
    """Whether a value that left has a derivative, and is used for more than a look."""
    dtype = mark.what.spec and mark.what.spec.dtype if isinstance(mark.what, Node) else mark.what.dtype
    return (dtype is None or dtype.kind == "f") and not is_only_looked_at(mark.code, mark.lasti)


def _node(record: Record, value: Any) -> Node | None:
    """The node of a tensor, of a node itself, or of a variable that was read on the record."""
    if isinstance(value, Node):
        return value.node if type(value) is Tensor else value
    reading = record.readings.get(id(value))
    return None if reading is None else reading.first.node


def _lost_forward(record: Record, marks: list[PathBreak], _sources: list[Any], results: list[Any]) -> list[PathBreak]:
    """:func:`_lost` of a forward accumulator, which marks only what has a tangent, and keeps no node."""
    ends = [_node(record, x) for x in results]  # a value that is a result was computed before it left
    return [m for m in marks if m.kind == "outside" or ends != [m.what]]


def _lost(record: Record, marks: list[PathBreak], sources: list[Any], results: list[Any]) -> list[PathBreak]:
    """The marks whose value depends on a source, and whose number the results may depend on."""
    ends = [_node(record, x) for x in results]
    reached = reachable(record.nodes, {n for x in sources if (n := _node(record, x)) is not None})
    known = {*record.nodes, *reached, *(reading.first.node for reading in record.readings.values())}
    connected = all(n in known for n in ends)
    needed, last = set(ends), -1  # of the nodes that the results need, the last one that reads a constant
    for k in range(len(record.nodes) - 1, -1, -1):
        node = record.nodes[k]
        if node in needed:
            needed.update(node.inputs)
            last = max(last, k) if _reads_constant(node) else last
    lost = []
    for mark in marks:
        left = _node(record, mark.what)
        depends = any(x is mark.what for x in sources) if left is None else left in reached or left not in known
        if depends and (mark.kind == "outside" or not connected or mark.at <= last):
            lost.append(mark)
    return lost


def _reads_constant(node: Node) -> bool:
    """Whether an operation has an input, or a parameter, that may be a number computed elsewhere."""
    numbers = (float, np.floating, np.ndarray)
    return None in node.inputs or node.op.user_defined or any(isinstance(p, numbers) for p in node.params.values())


_ADVICE = {
    **dict.fromkeys(
        ("array", "asanyarray", "asarray", "constant", "fromiter"),
        "Keep the tensor, and join several by ak.stack([...]) or ak.concat([...]).",
    ),
    **dict.fromkeys(("r_", "c_"), "Join tensors by ak.concat([...]) or ak.stack([...], axis=-1)."),
    **dict.fromkeys(("float", "int", "item", "numpy", "tolist", "complex"), "Compute with the tensor itself."),
    "full": "Write ak.full(shape, x).",
}


def _advice(mark: PathBreak) -> str:
    """What to write in place of the expression in which a value left."""
    node = expression_at(mark.code, mark.lasti)
    name = name_of_call(node)
    if mark.kind == "outside":
        return "Make the value an argument of the function, and let its rule return a gradient for it too."
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return "Write t = t.at[index].set(x), where t is a tensor, or join the parts by ak.stack([...])."
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return "The product of a sparse matrix and a tensor is ak.segment.sparse_matmul(matrix, x)."
    if name in _ADVICE:
        return _ADVICE[name]
    if name and hasattr(v, name):
        return f"The same function of tensors is ak.{name}."
    return "Write it with functions of the kit, or give it a derivative of its own with ak.custom_gradient."


def _message(mark: PathBreak, place: SourceLocation) -> str:
    code = f" ({place.text})" if place.text else ""
    what = (
        "a function with a gradient of its own uses a followed value that is none of its arguments"
        if mark.kind == "outside"
        else "a followed value becomes a plain number or array"
    )
    return (
        f"{place}{code}: {what}, so the derivative lacks what passes through it. {_advice(mark)} If this is meant, "
        "write ak.stop_gradient(x) for the value. "
        "warnings.simplefilter('ignore', ak.errors.LostGradientWarning) turns this warning off."
    )
