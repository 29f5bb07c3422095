"""A tape as a table: what ran, on which inputs, where, and what is held of it."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.backward import SCALAR
from autodiff_kit.core.record import Like, Node
from autodiff_kit.core.source_location import place_of, title_of
from autodiff_kit.core.tape import GradientTape, tape_method
from autodiff_kit.core.tensor import Tensor
from autodiff_kit.diagnostics.tape_nodes import held
from autodiff_kit.errors import DtypeError

__all__ = ["Table", "TableRow", "table"]

_ENDS = 20  # rows at either end of a long tape
_WIDE = 56  # letters of a cell of text; what is longer is cut, and says so
_NUMBERS = ("id", "held")


@dataclass(frozen=True)
class TableRow:
    """One operation of a tape, or one of the sources that it follows.

    Attributes
    ----------
    id : int
        Its place on the tape; a source has a negative one.
    op, name : str
        The operation, "variable" or "watched" for a source; what the user called it, or nothing.
    inputs : tuple of int
        Ids of what it read; constants have none.
    shape, dtype : tuple of int, str
        Of the answer.
    cell, line, code : str, int, str
        File or cell, line, and name of the function.
    held : int
        Bytes that the record holds for the way back; what an earlier row holds as well counts there.
    value : str
        The answer in short, where it is still known.
    """

    id: int
    op: str
    name: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: str
    cell: str
    line: int
    code: str
    held: int
    value: str

    @property
    def place(self) -> str:
        """The line as a reader names it; a source has none."""
        return f"{title_of(self.cell)}, line {self.line}" if self.line else ""


@dataclass(frozen=True, repr=False)
class Table:
    """A view of a tape: prints as text, in a notebook as a table; long tapes are shortened in the middle.

    Attributes
    ----------
    sources, rows : tuple of TableRow
        What the tape follows, and the operations in the order in which they ran; all of them.
    """

    sources: tuple[TableRow, ...]
    rows: tuple[TableRow, ...]

    def __str__(self) -> str:
        return "\n".join([self._summary, *text_lines(self._grid, numbers=_NUMBERS)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._summary)}</p>{html_table(self._grid, numbers=_NUMBERS)}"

    @property
    def _summary(self) -> str:
        held = sum(row.held for row in self.rows)
        return f"{_many(self.rows, 'operation')} on {_many(self.sources, 'source')}, {short(held, 'B')} held"

    @property
    def _grid(self) -> dict[str, list[str]]:
        """Columns by their heads, with a gap where rows are left out."""
        shown = [*_shortened(self.sources), *_shortened(self.rows)]
        return {
            head: [_gap(head, row) if isinstance(row, int) else text(row) for row in shown] for head, text in _COLUMNS
        }


def _gap(head: str, missing: int) -> str:
    return {"id": "⋮", "operation": f"… {missing:,} more …"}.get(head, "")


_COLUMNS: tuple[tuple[str, Callable[[TableRow], str]], ...] = (
    ("id", lambda row: _minus(str(row.id))),
    ("operation", lambda row: row.op),
    ("name", lambda row: row.name),
    ("inputs", lambda row: _minus(" ".join(map(str, row.inputs)))),
    ("shape", lambda row: str(row.shape)),
    ("dtype", lambda row: row.dtype),
    ("line", lambda row: row.place),
    ("held", lambda row: short(row.held, "B") if row.held else ""),
    ("value", lambda row: row.value),
)


def _shortened(rows: tuple[TableRow, ...]) -> list[TableRow | int]:
    """The rows, or both ends and between them how many are left out."""
    cut = len(rows) - 2 * _ENDS
    return [*rows[:_ENDS], cut, *rows[-_ENDS:]] if cut > 1 else [*rows]


def _many(rows: tuple[TableRow, ...], name: str) -> str:
    return f"{len(rows):,} {name}{'' if len(rows) == 1 else 's'}"


# -------------------------------------------------------------------------------- reading the record
def table(tape: GradientTape) -> Table:
    """What a tape has recorded, as a table.

    Parameters
    ----------
    tape : GradientTape
        Recording, closed, or released after its gradient: then everything but the arrays is still there.

    Returns
    -------
    Table
        ``print`` it, or let a notebook show it; ``.rows`` are frozen dataclasses.

    Raises
    ------
    DtypeError
        If ``tape`` is no tape.

    Examples
    --------
    >>> x = ak.Variable(3.0, name="x")
    >>> with ak.GradientTape() as tape:
    ...     y = x * x
    >>> [(row.op, row.inputs, row.value) for row in tape.table().rows]
    [('multiply', (-1, -1), '9')]
    """
    if not isinstance(tape, GradientTape):
        raise DtypeError(f"table takes a tape, not {type(tape).__name__}; or ask the tape itself: tape.table()")
    nodes = list(tape._record.nodes)
    ids: dict[Node, int] = {node: k for k, node in enumerate(nodes)}
    leaves = _leaves(tape, nodes, ids)
    ids |= {node: -1 - k for k, node in enumerate(leaves)}
    values = _values(nodes) | {node: value for node, (_, _, value) in leaves.items() if value is not None}
    counted: set[int] = set()
    if tape._record.released:  # numbers stay where they are, but nothing waits for them
        counted = {id(v) for node in nodes for v in held(node)}

    def row(node: Node, op: str, name: str) -> TableRow:
        like = node.like or SCALAR
        inputs = tuple(ids[n] for n in node.inputs if n is not None)
        place = place_of(node.code, node.lasti)
        value = node._value if type(node) is Tensor else values.get(node)
        return TableRow(
            ids[node], op, name, inputs, like.shape, str(like.dtype), *place, _newly_held(node, counted), brief(value)
        )

    sources = tuple(row(node, kind, name) for node, (kind, name, _) in leaves.items())
    return Table(sources, tuple(row(node, node.op.name, _name(node)) for node in nodes))


tape_method("table", table)


def _leaves(tape: GradientTape, nodes: list[Node], ids: dict[Node, int]) -> dict[Node, tuple[str, str, Any]]:
    """Kind, name and value of what the operations read and none of them made, in the order of ``tape.nodes``."""
    known: dict[Node, tuple[str, str, Any]] = {}
    for tensor in tape._watched:
        if tensor.node is not None:
            known[tensor.node] = ("watched", tensor.name or "", tensor._value)
    for variable, first, _ in tape._record.leaves.values():
        if first.node is not None:
            known[first.node] = ("variable", variable.name or "", first._value)
    read = [n for node in nodes for n in node.inputs if n is not None and n not in ids]
    return {node: known.get(node, ("watched", _name(node), None)) for node in dict.fromkeys([*read, *known])}


def _name(node: Node) -> str:
    return str(node.get("name") or "")


def _values(nodes: list[Node]) -> dict[Node, Any]:
    """Answers that are still known: numbers are their own nodes, arrays stand where a rule needs them."""
    found: dict[Node, Any] = {}
    for node in nodes:
        saved = node.saved
        if saved is None:
            continue
        inputs = node.inputs if node.op.residual is None else ()  # else something else stands in their place
        for n, value in zip((node, *inputs), saved, strict=False):
            if n is not None and type(value) is not Like:
                found.setdefault(n, value)
    return found


def _newly_held(node: Node, counted: set[int]) -> int:
    """Bytes that a node holds and none before it."""
    own = {id(v): v for v in (held(node) if node.op is not None else []) if id(v) not in counted}
    counted.update(own)
    return sum(8 if type(v) in (float, int) else v.nbytes for v in own.values())


def brief(value: Any) -> str:
    """A value in a few letters: its entries, or its range; what is not finite is counted."""
    if value is None:
        return ""
    entries = np.ravel(value)
    if entries.size <= 4:
        text = " ".join(f"{x:.4g}" for x in entries.tolist())
        return _minus(text if np.ndim(value) == 0 else f"[{text}]")
    finite = entries[np.isfinite(entries)]
    low, high = (f"{finite.min():.4g}", f"{finite.max():.4g}") if finite.size else ("", "")
    span = f"{low} … {high}" if low != high else low and f"all {low}"
    odd = entries.size - finite.size
    return _minus(", ".join(part for part in (span, f"{odd:,} not finite" if odd else "") if part))


def _minus(text: str) -> str:
    """Numbers with the sign that is as wide as a plus."""
    return text.replace("-", "−")


# -------------------------------------------------------------------------------- drawing, of other views of a tape too
Grid = dict[str, list[str]]


def short(n: float, unit: str = "") -> str:
    """A count in full below a million, else in four digits: 12.35 M."""
    power = 0 if n < (1000 if unit else 1_000_000) else min(4, int(math.log10(n)) // 3)
    text = f"{n / 1000**power:.4g}" if power else f"{round(n):,}"
    return f"{text} {' kMGT'[power].strip()}{unit}".strip()


def text_lines(grid: Grid, numbers: Collection[str] = ()) -> list[str]:
    """A table as lines of text: columns that are empty everywhere are left out, numbers stand to the right."""
    columns = []
    for head, cells in _filled(grid).items():
        cut = [text if len(text) <= _WIDE else text[: _WIDE - 1] + "…" for text in (head, *cells)]
        width = max(map(len, cut))
        columns.append([text.rjust(width) if head in numbers else text.ljust(width) for text in cut])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def html_table(grid: Grid, numbers: Collection[str] = ()) -> str:
    """The same for a notebook: every text escaped, no colour of its own, wide ones scroll by themselves."""
    filled = _filled(grid)
    if not filled:
        return ""
    sides = ["right" if head in numbers else "left" for head in filled]
    styles = [f"text-align:{side};white-space:nowrap;padding:0.1em 0.6em" for side in sides]
    head = "".join(f'<th scope="col" style="{s}">{html.escape(h)}</th>' for s, h in zip(styles, filled, strict=True))
    rows = (
        "".join(f'<td style="{s}">{html.escape(text)}</td>' for s, text in zip(styles, row, strict=True))
        for row in zip(*filled.values(), strict=True)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    inside = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div style="overflow-x:auto">{inside}</div>'


def _filled(grid: Grid) -> Grid:
    return {head: cells for head, cells in grid.items() if any(cells)}
