"""A tape's record as a table: one row for each leaf, constant and operation, in execution order.

``tape.nodes`` lists operations only. Here their inputs have rows as well: a source in the row before its first
reader, a constant before each of its readers. Row numbers are the ids in all messages.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from autodiff_kit.core.array_spec import SCALAR, ArraySpec
from autodiff_kit.core.numpy_protocol import Value, canonical
from autodiff_kit.core.path_breaks import PathBreak
from autodiff_kit.core.record import ArrayNode, Node
from autodiff_kit.core.source_location import location_of
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.core.variable import Variable
from autodiff_kit.lab.kernel.errors import InspectorError
from autodiff_kit.lab.kernel.value_summary import UNAVAILABLE

__all__ = ["TapeTable"]

Parts = tuple[Any, ...]
Place = tuple[str, int]
Row = tuple[Node | None, str, ArraySpec, tuple[int, ...], Place, str, Parts | None]


class TapeTable:
    """The rows of a record, with their values, inputs and locations.

    Parameters
    ----------
    tape : GradientTape
    parts : list of tuple, optional
        The parts of the record's nodes when the tape closed, if they were saved; by default the current ones.
    extra_sources : sequence of Value
        Sources that were requested and that the record may not know.
    place : (str, int)
        The place where the tape was entered: file and line.

    Attributes
    ----------
    nodes : list of Node or None
        A row's node; a constant has none.
    ops, likes, inputs, places, modules : list
        Name of the operation, shape and dtype, rows that are read, file and line, function.
    parts : list of tuple or None
        The parts of each operation.
    row : dict
        The row of each node.
    """

    nodes: list[Node | None]
    ops: list[str]
    likes: list[ArraySpec]
    inputs: list[tuple[int, ...]]
    places: list[Place]
    modules: list[str]
    parts: list[Parts | None]

    def __init__(
        self, tape: GradientTape, parts: list[Parts] | None, extra_sources: Iterable[Any], place: Place
    ) -> None:
        record = tape._record
        self.record = record
        self._rows: list[Row] = []
        self.row: dict[Node, int] = {}
        self.operations: list[int] = []
        self.values: dict[int, Any] = {}
        self.objects: dict[int, Any] = {}
        self.flags: dict[int, str] = {}
        self.notes: dict[int, str] = {}
        self.complete = True
        self._named_leaves = _named_leaves(tape)
        self._untracked_variables = {
            id(r.first._value): r.variable for r in record.readings.values() if r.first.node is None
        }
        self._constants: dict[int, int] = {}
        nodes = list(record.nodes)
        kept = parts or []
        every = [*kept, *[node.parts for node in nodes[len(kept) :]]]
        read = {n for own in every for n in own[: len(own) // 2]}
        for node in self._named_leaves:
            if node not in read:
                self._leaf_row(node, place, "")
        self._add_operations(nodes, every)
        self._add_extra_sources(extra_sources, place)
        columns = [list(column) for column in zip(*self._rows, strict=True)] or [[] for _ in range(7)]
        self.nodes, self.ops, self.likes, self.inputs, self.places, self.modules, self.parts = columns
        self._reader_values: dict[Node, Any] | None = None

    def __len__(self) -> int:
        return len(self.nodes)

    def require_values(self) -> None:
        """Raise InspectorError if the tape released the values that its rules need."""
        if not self.complete:
            raise InspectorError(
                "released",
                "This tape released its values after its gradient.",
                "Run the cell again while the inspector is open, or record with GradientTape(persistent=True).",
            )

    # ------------------------------------------------------------------------------------------------------- the rows
    def _add_row(self, op: str, like: ArraySpec, place: Place, module: str, node: Node | None = None) -> int:
        """Add a row that no operation computes."""
        row = len(self._rows)
        self._rows.append((node, op, like, (), place, module, None))
        if node is not None:
            self.row[node] = row
        return row

    def _leaf_row(self, node: Node, place: Place, module: str) -> int:
        value, held = self._named_leaves.get(node, (None, UNAVAILABLE))
        variable = isinstance(value, Variable)
        op = "variable" if variable else "watch" if value is not None else "outside"
        row = self._add_row(op, node.spec or SCALAR, place, module, node)
        self.values[row] = node._value if type(node) is Tensor else UNAVAILABLE if held is None else held
        self.objects[row] = value
        self.flags[row] = "s" if not variable or value.trainable else "sf"
        return row

    def _add_operations(self, nodes: list[Node], every: list[Parts]) -> None:
        """Add a row for each operation, preceded by rows for inputs that have none yet."""
        known: dict[tuple[int, int], tuple[Place, str]] = {}
        rows, row_of, operations = self._rows, self.row, self.operations
        for node, parts in zip(nodes, every, strict=True):
            at = (id(node.code), node.lasti)  # comparing code objects by content would take longer
            where = known.get(at) or known.setdefault(at, _location_of(node.code, node.lasti))
            name = node.op.name
            inputs = self._input_rows(node, parts, where)
            row_of[node] = row = len(rows)
            operations.append(row)
            rows.append((node, name, node.spec or SCALAR, inputs, *where, parts))
            if parts[len(parts) // 2] is None:
                self.complete = False
            if name == "getitem":
                self.notes[row] = _index_text(node.params.get("index"))

    def _input_rows(self, node: Node, parts: Parts, where: tuple[Place, str]) -> tuple[int, ...]:
        """The rows of an operation's inputs; missing ones are added."""
        half = len(parts) // 2
        inputs: list[int] = []
        for k in range(half):
            n = parts[k]
            if n is None:
                found = self._constant_row(node, parts[half + 1 + k], where, second=k > 0)
            else:
                found = self.row.get(n, -1)
                if found < 0:
                    found = self._leaf_row(n, *where)
            if found >= 0:
                inputs.append(found)
        return tuple(inputs)

    def _constant_row(self, node: Node, value: Any, where: tuple[Place, str], second: bool) -> int:
        """The row of a constant; a plain exponent is part of the operation's name instead."""
        if type(value) in (float, int):
            if second and node.op.name == "power":
                self.notes[len(self._rows)] = f"^{value:g}".replace("-", "−")
                return -1
            return self._row_without_node(value, SCALAR, where)
        known = self._constants.get(id(value), -1) if type(value) is np.ndarray else -1
        if known >= 0:
            return known
        like = value if type(value) is ArraySpec else ArraySpec(np.shape(value), np.asarray(value).dtype)
        row = self._row_without_node(
            UNAVAILABLE if type(value) is ArraySpec else value, like, where, self._untracked_variables.get(id(value))
        )
        if type(value) is np.ndarray:
            self._constants[id(value)] = row
        return row

    def _row_without_node(
        self, value: Any, like: ArraySpec, where: tuple[Place, str], variable: Variable | None = None
    ) -> int:
        """A row without a node: a constant, or a variable that the tape does not follow."""
        row = len(self._rows)
        self._rows.append((None, "constant" if variable is None else "variable", like, (), *where, None))
        self.values[row], self.flags[row] = value, "k"
        if variable is not None:
            self.objects[row], self.flags[row] = variable, "kf"
        return row

    def _add_extra_sources(self, extra_sources: Iterable[Any], place: Place) -> None:
        """Add rows for requested sources that no operation read, whose gradient is None."""
        for value in extra_sources:
            if not isinstance(value, Value) or self.row_of(value) is not None:
                continue
            op = "variable" if isinstance(value, Variable) else "tensor"
            row = self._add_row(op, ArraySpec(value.shape, value.dtype), place, "")
            self.values[row], self.objects[row] = value._value, value

    # ------------------------------------------------------------------------------------------------ looking things up
    def row_of(self, value: Any) -> int | None:
        """The row of a tensor or variable."""
        node = value.node if isinstance(value, Tensor) else None
        if isinstance(value, Variable):
            hit = self.record.readings.get(id(value))
            node = hit.first.node if hit is not None else None
        row = self.row.get(node) if node is not None else None
        if row is not None:
            return row
        return next((k for k, held in self.objects.items() if held is value), None)

    def evaluable_node(self, row: int) -> Node:
        """A node on which rules can run: the record's own, or a copy with the saved values if those were released."""
        node, parts = self.nodes[row], self.parts[row]
        assert node is not None  # only operations are requested
        if parts is None or parts is node.parts:
            return node
        twin: Node = ArrayNode()
        twin.op, twin.parts, twin.cotangent, twin.record = node.op, parts, None, None
        twin.code, twin.lasti = node.code, node.lasti
        twin.spec = node.spec  # type: ignore[misc]
        twin.given = node.params
        return twin

    def value(self, row: int) -> Any:
        """The value of a row, or UNAVAILABLE; values that the record did not keep are recomputed."""
        found = self._stored_value(row)
        return found if found is not UNAVAILABLE else self._recompute(row)

    def _stored_value(self, row: int) -> Any:
        if row in self.values:
            return self.values[row]
        node, parts = self.nodes[row], self.parts[row]
        if parts is None:
            return UNAVAILABLE
        y = parts[len(parts) // 2]
        if y is not None and type(y) is not ArraySpec:
            return y
        if type(node) is Tensor:
            return node._value
        if self._reader_values is None:
            self._reader_values = self._values_held_by_readers()
        return self._reader_values.get(node, UNAVAILABLE) if node is not None else UNAVAILABLE

    def _values_held_by_readers(self) -> dict[Node, Any]:
        """Results that are kept only as inputs of later operations."""
        found: dict[Node, Any] = {}
        for row in self.operations:
            node, parts = self.nodes[row], self.parts[row]
            if node is None or parts is None or node.op.residual is not None:
                continue
            half = len(parts) // 2
            for n, value in zip(parts[:half], parts[half + 1 :], strict=True):
                if n is not None and value is not None and type(value) is not ArraySpec:
                    found.setdefault(n, value)
        return found

    def _recompute(self, row: int) -> Any:
        """Recompute a row and the rows that it needs, each once; user-defined operations are never run."""
        stack = [row]
        while stack:
            k = stack[-1]
            open_ = [i for i in self._operands(k) if type(i) is int and self._stored_value(i) is UNAVAILABLE]
            if k in self.values or not open_:
                if k not in self.values:
                    self.values[k] = self._evaluate(k)
                stack.pop()
                continue
            missing = [i for i in open_ if i not in self.values]
            if not missing:
                self.values[k] = UNAVAILABLE
                stack.pop()
            else:
                stack += missing
        return self.values[row]

    def _operands(self, row: int) -> list[Any]:
        """The operands of a row: row numbers, or a one-element list with the number of a constant that has no row."""
        parts = self.parts[row]
        if parts is None:
            return []
        rows = iter(self.inputs[row])
        half = len(parts) // 2
        if len(self.inputs[row]) == half:
            return list(rows)
        return [next(rows) if n is not None else [x] for n, x in zip(parts[:half], parts[half + 1 :], strict=True)]

    def _evaluate(self, row: int) -> Any:
        node = self.nodes[row]
        if node is None or node.op is None or node.op.user_defined or self.parts[row] is None:
            return UNAVAILABLE
        operands = [self._stored_value(i) if type(i) is int else i[0] for i in self._operands(row)]
        try:
            with np.errstate(all="ignore"):
                given = (tuple(operands),) if _takes_array_list(node.op.value) else operands
                return canonical(node.op.value(*given, **node.params))
        except Exception:  # noqa: BLE001 - a value that cannot be shown is no reason to show nothing
            return UNAVAILABLE

    @property
    def marks(self) -> list[PathBreak]:
        """The record's marks: values that left the tape or were assigned."""
        return self.record.path_breaks


def _named_leaves(tape: GradientTape) -> dict[Node, tuple[Any, Any]]:
    """The user's tensor or variable of each leaf node with its value, in the order of first use."""
    known: dict[Node, tuple[Any, Any]] = {t.node: (t, t._value) for t in tape._watched if t.node is not None}
    for variable, first, _ in tape._record.readings.values():
        if first.node is not None:
            known[first.node] = (variable, first._value)
    return known


@cache
def _location_of(code: Any, lasti: int) -> tuple[Place, str]:
    """File, line and function of an instruction; the function is empty at module level."""
    if code is None:
        return ("", 0), ""
    name = code.co_qualname.rpartition("<locals>.")[2]
    place = location_of(code, lasti)
    return (place.cell, place.line), "" if name == "<module>" else name


def _index_text(index: Any) -> str:
    """An index as Python source: [1], [0:3], […]."""
    parts = index if isinstance(index, tuple) else (index,)
    text = ", ".join(map(_index_part, parts)).replace("-", "−")
    return f"[{text}]" if len(text) <= 24 else "[…]"


def _index_part(i: Any) -> str:
    if isinstance(i, slice):
        step = "" if i.step is None else f":{i.step}"
        return f"{'' if i.start is None else i.start}:{'' if i.stop is None else i.stop}{step}"
    return "…" if i is Ellipsis else str(i) if np.ndim(i) == 0 else "array"


@cache
def _takes_array_list(function: Any) -> bool:
    """Whether an operation computes on a list of arrays, such as concat."""
    try:
        return next(iter(inspect.signature(function).parameters), "") == "arrays"
    except (TypeError, ValueError):
        return False
