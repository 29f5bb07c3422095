"""A tape as a table (``tape.table()``): operations, inputs, shapes, source lines, and the memory that it keeps."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_kit.core.source_location import display_name
from autodiff_kit.core.tape import GradientTape, add_tape_method
from autodiff_kit.diagnostics.recorded_program import RecordedProgram
from autodiff_kit.diagnostics.table_format import Columns, format_count, html_table, text_table
from autodiff_kit.diagnostics.tape_nodes import TapeNode
from autodiff_kit.diagnostics.tape_program import TapeProgram
from autodiff_kit.errors import DtypeError

__all__ = ["TapeTable", "TapeTableRow", "table"]

_ROWS_AT_EACH_END = 20  # of a long tape; the rows between are omitted when it is printed
_NUMBERS = ("id", "held")


@dataclass(frozen=True)
class TapeTableRow:
    """One row of a :class:`TapeTable`: an operation, or a source that the tape watches.

    Attributes
    ----------
    id : int
        Its position on the tape; negative for a source.
    op, name : str
        The operation, or "variable" or "watched" for a source; the name given by the user, or empty.
    inputs : tuple of int
        Ids of its inputs; constants have none.
    shape, dtype : tuple of int, str
        Of the output.
    cell, line, code : str, int, str
        File or cell, line, and name of the function.
    held : int
        Bytes that the tape keeps for the reverse pass; an array is counted in the first row that keeps it.
    value : str
        The output in short form, if the tape still has it.
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
        """Cell or file and line, in words; empty for a source."""
        return f"{display_name(self.cell)}, line {self.line}" if self.line else ""


@dataclass(frozen=True, repr=False)
class TapeTable:
    """A tape as a table: prints as text, and as HTML in a notebook; long tapes are shortened in the middle.

    Attributes
    ----------
    sources, rows : tuple of TapeTableRow
        What the tape watches, and all operations in execution order.
    """

    sources: tuple[TapeTableRow, ...]
    rows: tuple[TapeTableRow, ...]

    def __str__(self) -> str:
        return "\n".join([self._summary, *text_table(self._columns, numbers=_NUMBERS)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._summary)}</p>{html_table(self._columns, numbers=_NUMBERS)}"

    @property
    def _summary(self) -> str:
        held = sum(row.held for row in self.rows)
        operations, sources = _count_of(self.rows, "operation"), _count_of(self.sources, "source")
        return f"{operations} on {sources}, {format_count(held, 'B')} held"

    @property
    def _columns(self) -> Columns:
        """The columns as text, with one row of ellipses for omitted rows."""
        shown = [*_shortened(self.sources), *_shortened(self.rows)]
        return {
            head: [_ellipsis_cell(head, row) if isinstance(row, int) else text(row) for row in shown]
            for head, text in _COLUMNS
        }


def _ellipsis_cell(head: str, missing: int) -> str:
    return {"id": "⋮", "operation": f"… {missing:,} more …"}.get(head, "")


_COLUMNS: tuple[tuple[str, Callable[[TapeTableRow], str]], ...] = (
    ("id", lambda row: _with_minus_sign(str(row.id))),
    ("operation", lambda row: row.op),
    ("name", lambda row: row.name),
    ("inputs", lambda row: _with_minus_sign(" ".join(map(str, row.inputs)))),
    ("shape", lambda row: str(row.shape)),
    ("dtype", lambda row: row.dtype),
    ("line", lambda row: row.place),
    ("held", lambda row: format_count(row.held, "B") if row.held else ""),
    ("value", lambda row: row.value),
)


def _shortened(rows: tuple[TapeTableRow, ...]) -> list[TapeTableRow | int]:
    """The rows, or those at both ends and between them the number of omitted rows."""
    cut = len(rows) - 2 * _ROWS_AT_EACH_END
    return [*rows[:_ROWS_AT_EACH_END], cut, *rows[-_ROWS_AT_EACH_END:]] if cut > 1 else [*rows]


def _count_of(rows: tuple[TapeTableRow, ...], name: str) -> str:
    return f"{len(rows):,} {name}{'' if len(rows) == 1 else 's'}"


# -------------------------------------------------------------------------------- reading the tape
def table(tape: GradientTape) -> TapeTable:
    """The operations that a tape has recorded, as a table.

    Parameters
    ----------
    tape : GradientTape
        Recording, closed, or released after its gradient; a released tape still has everything but the arrays.

    Returns
    -------
    TapeTable
        Prints as text, or as HTML in a notebook; ``.rows`` are frozen dataclasses.

    Raises
    ------
    DtypeError
        If ``tape`` is not a tape.

    Examples
    --------
    >>> x = ak.Variable(3.0, name="x")
    >>> with ak.GradientTape() as tape:
    ...     y = x * x
    >>> [(row.op, row.inputs, row.value) for row in tape.table().rows]
    [('multiply', (-1, -1), '9')]
    """
    if not isinstance(tape, GradientTape):
        raise DtypeError(f"table takes a tape, got {type(tape).__name__}; or call tape.table()")
    return table_of(TapeProgram(tape))


add_tape_method("table", table)


def table_of(program: RecordedProgram) -> TapeTable:
    """The table of a recorded program."""

    def row(node: TapeNode) -> TapeTableRow:
        text = summarize_value(program.value(node.id))
        name, held = program.name(node.id), program.held_bytes(node.id)
        place = (node.cell, node.line, node.code)
        return TapeTableRow(node.id, node.op, name, node.inputs, node.shape, node.dtype, *place, held, text)

    return TapeTable(tuple(map(row, program.leaves)), tuple(map(row, program.nodes)))


def summarize_value(value: Any) -> str:
    """A value in short form: up to four entries, or the range and the number of entries that are not finite."""
    if value is None:
        return ""
    entries = np.ravel(value)
    if entries.size <= 4:
        text = " ".join(f"{x:.4g}" for x in entries.tolist())
        return _with_minus_sign(text if np.ndim(value) == 0 else f"[{text}]")
    finite = entries[np.isfinite(entries)]
    low, high = (f"{finite.min():.4g}", f"{finite.max():.4g}") if finite.size else ("", "")
    span = f"{low} … {high}" if low != high else low and f"all {low}"
    odd = entries.size - finite.size
    return _with_minus_sign(", ".join(part for part in (span, f"{odd:,} not finite" if odd else "") if part))


def _with_minus_sign(text: str) -> str:
    """Text with the Unicode minus sign in place of hyphens."""
    return text.replace("-", "−")
