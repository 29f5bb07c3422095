"""A record as the inspector shows it: one row for each leaf, constant and operation, in an order that can be stepped.

``tape.nodes`` lists operations alone. Here what they read stands before them: a source in the row before its first
reader, a constant before each of its readers. Row numbers are the ids of all messages.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from autodiff_kit.core.backward import SCALAR
from autodiff_kit.core.record import ArrayNode, Like, Mark, Node
from autodiff_kit.core.source_location import place_of
from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.tensor import Tensor, Value, Variable, normal
from autodiff_kit.lab.kernel.errors import Refusal
from autodiff_kit.lab.kernel.value_summary import HIDDEN

__all__ = ["Sheet"]

Parts = tuple[Any, ...]
Place = tuple[str, int]
Row = tuple[Node | None, str, Like, tuple[int, ...], Place, str, Parts | None]


class Sheet:
    """Rows of a record.

    Parameters
    ----------
    tape : GradientTape
    parts : list of tuple, optional
        What the record's nodes held when the tape closed, where that was kept; by default what they hold now.
    also : sequence of Value
        Sources that were asked for and that the record may not know.
    place : (str, int)
        Where the tape was entered: file and line.

    Attributes
    ----------
    nodes : list of Node or None
        A row's node; a constant has none.
    ops, likes, inputs, places, modules : list
        Name of the operation, shape and dtype, rows that are read, file and line, function.
    parts : list of tuple or None
        What each operation holds.
    row : dict
        The row of each node.
    """

    nodes: list[Node | None]
    ops: list[str]
    likes: list[Like]
    inputs: list[tuple[int, ...]]
    places: list[Place]
    modules: list[str]
    parts: list[Parts | None]

    def __init__(self, tape: GradientTape, parts: list[Parts] | None, also: Iterable[Any], place: Place) -> None:
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
        self._known = _known(tape)
        self._plain = {id(r.first._value): r.variable for r in record.leaves.values() if r.first.node is None}
        self._constants: dict[int, int] = {}
        nodes = list(record.nodes)
        kept = parts or []
        every = [*kept, *[node.parts for node in nodes[len(kept) :]]]
        read = {n for own in every for n in own[: len(own) // 2]}
        for node in self._known:
            if node not in read:
                self._leaf(node, place, "")
        self._operations(nodes, every)
        self._outsiders(also, place)
        columns = [list(column) for column in zip(*self._rows, strict=True)] or [[] for _ in range(7)]
        self.nodes, self.ops, self.likes, self.inputs, self.places, self.modules, self.parts = columns
        self._answers: dict[Node, Any] | None = None

    def __len__(self) -> int:
        return len(self.nodes)

    def ready(self) -> None:
        """Refuse where rules cannot run any more."""
        if not self.complete:
            raise Refusal(
                "released",
                "This tape let go of its values after its gradient.",
                "Run the cell again while the inspector is open, or record with GradientTape(persistent=True).",
            )

    # ------------------------------------------------------------------------------------------------------- the rows
    def _add(self, op: str, like: Like, place: Place, module: str, node: Node | None = None) -> int:
        """A row that nothing computes."""
        row = len(self._rows)
        self._rows.append((node, op, like, (), place, module, None))
        if node is not None:
            self.row[node] = row
        return row

    def _leaf(self, node: Node, place: Place, module: str) -> int:
        value, held = self._known.get(node, (None, HIDDEN))
        variable = isinstance(value, Variable)
        op = "variable" if variable else "watch" if value is not None else "outside"
        row = self._add(op, node.like or SCALAR, place, module, node)
        self.values[row] = node._value if type(node) is Tensor else HIDDEN if held is None else held
        self.objects[row] = value
        self.flags[row] = "s" if not variable or value.trainable else "sf"
        return row

    def _operations(self, nodes: list[Node], every: list[Parts]) -> None:
        """A row for each operation, and before it rows for what no row stands for yet."""
        known: dict[tuple[int, int], tuple[Place, str]] = {}
        rows, row_of, operations = self._rows, self.row, self.operations
        for node, parts in zip(nodes, every, strict=True):
            at = (id(node.code), node.lasti)  # code compares by what it says, which takes longer
            where = known.get(at) or known.setdefault(at, _where(node.code, node.lasti))
            name = node.op.name
            inputs = self._inputs(node, parts, where)
            row_of[node] = row = len(rows)
            operations.append(row)
            rows.append((node, name, node.like or SCALAR, inputs, *where, parts))
            if parts[len(parts) // 2] is None:
                self.complete = False
            if name == "getitem":
                self.notes[row] = _index(node.params.get("index"))

    def _inputs(self, node: Node, parts: Parts, where: tuple[Place, str]) -> tuple[int, ...]:
        """The rows that an operation reads; one that is not there yet is added."""
        half = len(parts) // 2
        inputs: list[int] = []
        for k in range(half):
            n = parts[k]
            if n is None:
                found = self._constant(node, parts[half + 1 + k], where, second=k > 0)
            else:
                found = self.row.get(n, -1)
                if found < 0:
                    found = self._leaf(n, *where)
            if found >= 0:
                inputs.append(found)
        return tuple(inputs)

    def _constant(self, node: Node, value: Any, where: tuple[Place, str], second: bool) -> int:
        """The row of a constant; a plain exponent is part of the operation's name instead."""
        if type(value) in (float, int):
            if second and node.op.name == "power":
                self.notes[len(self._rows)] = f"^{value:g}".replace("-", "−")
                return -1
            return self._of_nobody(value, SCALAR, where)
        known = self._constants.get(id(value), -1) if type(value) is np.ndarray else -1
        if known >= 0:
            return known
        like = value if type(value) is Like else Like(np.shape(value), np.asarray(value).dtype)
        row = self._of_nobody(HIDDEN if type(value) is Like else value, like, where, self._plain.get(id(value)))
        if type(value) is np.ndarray:
            self._constants[id(value)] = row
        return row

    def _of_nobody(self, value: Any, like: Like, where: tuple[Place, str], variable: Variable | None = None) -> int:
        """A row without a node: a constant, or a variable that the tape does not follow."""
        row = len(self._rows)
        self._rows.append((None, "constant" if variable is None else "variable", like, (), *where, None))
        self.values[row], self.flags[row] = value, "k"
        if variable is not None:
            self.objects[row], self.flags[row] = variable, "kf"
        return row

    def _outsiders(self, also: Iterable[Any], place: Place) -> None:
        """Sources that somebody asked for and that no operation read: their gradient is None, and that is shown."""
        for value in also:
            if not isinstance(value, Value) or self.find(value) is not None:
                continue
            op = "variable" if isinstance(value, Variable) else "tensor"
            row = self._add(op, Like(value.shape, value.dtype), place, "")
            self.values[row], self.objects[row] = value._value, value

    # ------------------------------------------------------------------------------------------------ looking things up
    def find(self, value: Any) -> int | None:
        """The row of a tensor or variable."""
        node = value.node if isinstance(value, Tensor) else None
        if isinstance(value, Variable):
            hit = self.record.leaves.get(id(value))
            node = hit.first.node if hit is not None else None
        row = self.row.get(node) if node is not None else None
        if row is not None:
            return row
        return next((k for k, held in self.objects.items() if held is value), None)

    def stand_in(self, row: int) -> Node:
        """A node that rules can run on: the record's own, or where that let go, one that holds what was kept."""
        node, parts = self.nodes[row], self.parts[row]
        assert node is not None  # only operations are asked for
        if parts is None or parts is node.parts:
            return node
        twin: Node = ArrayNode()
        twin.op, twin.parts, twin.cot, twin.record = node.op, parts, None, None
        twin.code, twin.lasti = node.code, node.lasti
        twin.like = node.like  # type: ignore[misc]
        if hasattr(node, "rest"):
            twin.rest = node.rest
        return twin

    def value(self, row: int) -> Any:
        """The value of a row, or HIDDEN; what the record did not hold is computed from what it holds."""
        found = self._held(row)
        return found if found is not HIDDEN else self._again(row)

    def _held(self, row: int) -> Any:
        if row in self.values:
            return self.values[row]
        node, parts = self.nodes[row], self.parts[row]
        if parts is None:
            return HIDDEN
        y = parts[len(parts) // 2]
        if y is not None and type(y) is not Like:
            return y
        if type(node) is Tensor:
            return node._value
        if self._answers is None:
            self._answers = self._read_by_others()
        return self._answers.get(node, HIDDEN) if node is not None else HIDDEN

    def _read_by_others(self) -> dict[Node, Any]:
        """Answers that stand in the records of their readers."""
        found: dict[Node, Any] = {}
        for row in self.operations:
            node, parts = self.nodes[row], self.parts[row]
            if node is None or parts is None or node.op.residual is not None:
                continue
            half = len(parts) // 2
            for n, value in zip(parts[:half], parts[half + 1 :], strict=True):
                if n is not None and value is not None and type(value) is not Like:
                    found.setdefault(n, value)
        return found

    def _again(self, row: int) -> Any:
        """Compute the answers that lead to a row, each once; operations of the user's are never run."""
        stack = [row]
        while stack:
            k = stack[-1]
            open_ = [i for i in self._operands(k) if type(i) is int and self._held(i) is HIDDEN]
            if k in self.values or not open_:
                if k not in self.values:
                    self.values[k] = self._computed(k)
                stack.pop()
                continue
            missing = [i for i in open_ if i not in self.values]
            if not missing:
                self.values[k] = HIDDEN
                stack.pop()
            else:
                stack += missing
        return self.values[row]

    def _operands(self, row: int) -> list[Any]:
        """Rows, or for a constant that has no row the number in a list of one."""
        parts = self.parts[row]
        if parts is None:
            return []
        rows = iter(self.inputs[row])
        half = len(parts) // 2
        if len(self.inputs[row]) == half:
            return list(rows)
        return [next(rows) if n is not None else [x] for n, x in zip(parts[:half], parts[half + 1 :], strict=True)]

    def _computed(self, row: int) -> Any:
        node = self.nodes[row]
        if node is None or node.op is None or node.op.users or self.parts[row] is None:
            return HIDDEN
        operands = [self._held(i) if type(i) is int else i[0] for i in self._operands(row)]
        try:
            with np.errstate(all="ignore"):
                given = (tuple(operands),) if _takes_list(node.op.value) else operands
                return normal(node.op.value(*given, **node.params))
        except Exception:  # noqa: BLE001 - a value that cannot be shown is no reason to show nothing
            return HIDDEN

    @property
    def marks(self) -> list[Mark]:
        """Marks beside the record: values that left it or were assigned."""
        return self.record.marks


def _known(tape: GradientTape) -> dict[Node, tuple[Any, Any]]:
    """What the user calls each leaf, and its value, in the order in which they were met."""
    known: dict[Node, tuple[Any, Any]] = {t.node: (t, t._value) for t in tape._watched if t.node is not None}
    for variable, first, _ in tape._record.leaves.values():
        if first.node is not None:
            known[first.node] = (variable, first._value)
    return known


@cache
def _where(code: Any, lasti: int) -> tuple[Place, str]:
    """File and line of an instruction, and the function that it belongs to; nothing for a cell's own level."""
    if code is None:
        return ("", 0), ""
    name = code.co_qualname.rpartition("<locals>.")[2]
    place = place_of(code, lasti)
    return (place.cell, place.line), "" if name == "<module>" else name


def _index(index: Any) -> str:
    """An index as it is written: [1], [0:3], […]."""
    parts = index if isinstance(index, tuple) else (index,)
    text = ", ".join(map(_one_index, parts)).replace("-", "−")
    return f"[{text}]" if len(text) <= 24 else "[…]"


def _one_index(i: Any) -> str:
    if isinstance(i, slice):
        step = "" if i.step is None else f":{i.step}"
        return f"{'' if i.start is None else i.start}:{'' if i.stop is None else i.stop}{step}"
    return "…" if i is Ellipsis else str(i) if np.ndim(i) == 0 else "array"


@cache
def _takes_list(function: Any) -> bool:
    """Whether an operation computes on a list of arrays, such as concat."""
    try:
        return next(iter(inspect.signature(function).parameters), "") == "arrays"
    except (TypeError, ValueError):
        return False
