"""Small tables of results, written as text and as HTML, and the number format of the lessons."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

__all__ = ["Cell", "Table", "number", "vector"]

Cell = object

_STYLE = (
    "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:4px 0",
    "text-align:left;font-size:12px;padding-bottom:4px",
    "text-align:{side};padding:2px 10px 2px 0;font-weight:{weight};white-space:{wrap}",
)


@dataclass(frozen=True)
class Table:
    """A small table of results, with the same content as text and as HTML.

    Parameters
    ----------
    caption : str
        One sentence that says what the table shows.
    columns : sequence of str
        The heading of every column.
    rows : sequence of sequence
        Strings, numbers, ``None`` (written *None*) or booleans (yes, no); the first cell is the row header.
    digits : int, optional
        Decimals of every float; values of type ``int`` have none.

    Notes
    -----
    A notebook shows the HTML; ``str(table)`` is the text, for terminals.

    Examples
    --------
    >>> print(Table("A push", ("output", "Jv"), [("f0", 7.0), ("f1", -5.0)], digits=0))
    A push
    output  Jv
    f0       7
    f1      -5
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4

    def __post_init__(self) -> None:
        width = len(self.columns)
        for row in self.rows:
            if len(row) != width:
                raise ValueError(
                    f"a row has {len(row)} cells, but the table has {width} columns {tuple(self.columns)}; "
                    "give every row one cell for each column"
                )

    def __str__(self) -> str:
        lines = [list(self.columns), *([_written(cell, self.digits) for cell in row] for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        right = [self._numeric(i) for i in range(len(self.columns))]
        return "\n".join([self.caption, *(_line(line, widths, right) for line in lines)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.html()

    def html(self) -> str:
        """Write the table as HTML.

        Returns
        -------
        str
            A ``<table>`` with its caption and row headers; everything in it is escaped.
        """
        sides = ["right" if self._numeric(i) else "left" for i in range(len(self.columns))]
        head = "".join(_tag("th", name, side, "col") for name, side in zip(self.columns, sides, strict=True))
        body = "".join(self._html_row(row, sides) for row in self.rows)
        caption = f'<caption style="{_STYLE[1]}">{escape(self.caption)}</caption>'
        return f'<table style="{_STYLE[0]}">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'

    def _html_row(self, row: Sequence[Cell], sides: Sequence[str]) -> str:
        cells = [_written(cell, self.digits, minus="−") for cell in row]
        first = _tag("th", cells[0], sides[0], "row")
        rest = (_tag("td", cell, side) for cell, side in zip(cells[1:], sides[1:], strict=True))
        return f"<tr>{first}{''.join(rest)}</tr>"

    def _numeric(self, column: int) -> bool:
        cells = [row[column] for row in self.rows]
        return bool(cells) and all(_is_number(cell) or cell is None for cell in cells)


def number(value: float, digits: int = 4, minus: str = "-") -> str:
    """Format a number with fixed decimals and never as -0.

    Parameters
    ----------
    value : float
        The number; infinities and NaN are written as the words ``inf``, ``-inf`` and ``nan``.
    digits : int, optional
        Decimals.
    minus : str, optional
        The sign of negative numbers.

    Returns
    -------
    str
        The number in fixed decimals, or as ``3.03e-05`` where fixed decimals would show only zeros.

    Examples
    --------
    >>> number(-0.00001, 2), number(-5.6), number(0.0)
    ('-1.00e-05', '-5.6000', '0.0000')
    """
    value = float(value) + 0.0  # -0.0 + 0.0 is 0.0
    if not math.isfinite(value):
        text = "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    elif digits > 0 and value != 0 and abs(value) < 0.5 * 10.0**-digits:
        text = f"{value:.2e}"
    else:
        text = f"{round(value, digits) + 0.0:.{digits}f}"
    return text.replace("-", minus, 1) if text.startswith("-") else text


def vector(values: npt.ArrayLike | None, digits: int = 4) -> str:
    """Format an array of numbers in one line, as the lessons print them.

    Parameters
    ----------
    values : array_like or None
        Numbers of any shape; they are written in C order. None, as a gradient may be, is written as such.
    digits : int, optional
        Decimals of each.

    Returns
    -------
    str
        The numbers in square brackets with one blank between them.

    Examples
    --------
    >>> vector([7.0, -5.0, 3.0], 0)
    '[7 -5 3]'
    """
    if values is None:
        return "None"
    if isinstance(values, list | tuple) and any(value is None for value in values):
        return "[" + " ".join("None" if value is None else number(float(value), digits) for value in values) + "]"
    flat = np.asarray(values, dtype=np.float64).ravel()
    return "[" + " ".join(number(float(v), digits) for v in flat) + "]"


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, numbers.Real) and not isinstance(cell, bool)


def _written(cell: Cell, digits: int, minus: str = "-") -> str:
    if isinstance(cell, (bool, np.bool_)):
        return "yes" if cell else "no"
    if isinstance(cell, numbers.Integral):
        return str(int(cell)).replace("-", minus)
    if isinstance(cell, numbers.Real):
        return number(float(cell), digits, minus)
    return str(cell)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    placed = (c.rjust(w) if is_right else c.ljust(w) for c, w, is_right in zip(cells, widths, right, strict=True))
    return "  ".join(placed).rstrip()


def _tag(tag: str, text: str, side: str, scope: str = "") -> str:
    # Short cells are not wrapped, because a vector on two lines looks like two vectors.
    wrap = "nowrap" if len(text) <= 24 else "normal"
    style = _STYLE[2].format(side=side, weight=600 if scope == "col" else 400, wrap=wrap)
    scoped = f' scope="{scope}"' if scope else ""
    return f'<{tag}{scoped} style="{style}">{escape(text)}</{tag}>'
