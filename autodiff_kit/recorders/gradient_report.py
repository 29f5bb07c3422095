"""What gradient each parameter gets, as a table: ``tape.report``."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

from autodiff_kit.core.source_location import display_name
from autodiff_kit.diagnostics.gradient_explanation import GradientExplanation
from autodiff_kit.diagnostics.table_format import Columns, html_table, text_table

__all__ = ["GradientReport", "GradientReportRow", "size_word"]

_HUGE, _TINY = 1e3, 1e-10


@dataclass(frozen=True)
class GradientReportRow:
    """One parameter.

    Attributes
    ----------
    name : str
    state : str
        "flows", "frozen", "None", "zero", "nan", "huge", "tiny", "not in the optimizer", "not moved", "stale .grad", or
        "flows, but" with the kind of what is wrong.
    largest : float or None
        The largest magnitude in the gradient.
    explanation : GradientExplanation
        Why, where, and what to do.
    """

    name: str
    state: str
    largest: float | None
    explanation: GradientExplanation

    @property
    def sound(self) -> bool:
        """Whether there is nothing to do; a frozen parameter is meant to have no gradient."""
        return self.state in ("flows", "frozen")


@dataclass(frozen=True, repr=False)
class GradientReport:
    """The gradients of a model's parameters: prints as text, and as a table in a notebook.

    Attributes
    ----------
    target : str
    rows : tuple of GradientReportRow
        In the order of the model.
    """

    target: str
    rows: tuple[GradientReportRow, ...]

    @property
    def problems(self) -> tuple[GradientReportRow, ...]:
        """The rows that are not sound."""
        return tuple(row for row in self.rows if not row.sound)

    def __str__(self) -> str:
        return "\n".join([self._summary, *text_table(self._columns)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._summary)}</p>{html_table(self._columns)}"

    @property
    def _summary(self) -> str:
        count = len(self.problems)
        told = "all are sound" if not count else f"{count} {'needs' if count == 1 else 'need'} a look"
        return f"gradients of {self.target} with respect to {len(self.rows):,} parameters: {told}"

    @property
    def _columns(self) -> Columns:
        rows = self.rows
        return {
            "parameter": [row.name for row in rows],
            "gradient": [row.state for row in rows],
            "largest": ["" if row.largest is None else f"{row.largest:.3g}" for row in rows],
            "line": [_place(row) for row in rows],
            "why": [row.explanation.headline if not row.sound else "" for row in rows],
            "what to do": [row.explanation.fix if not row.sound else "" for row in rows],
        }


def size_word(size: float | None) -> str:
    """The state of a gradient that flows, by its largest magnitude."""
    if size is not None and math.isfinite(size) and size > _HUGE:
        return "huge"
    return "tiny" if size is not None and 0 < size < _TINY else "flows"


def _place(row: GradientReportRow) -> str:
    found = row.explanation
    return f"{display_name(found.cell)}, line {found.line}" if found.line and not row.sound else ""
