"""Tables as plain text and as HTML for notebooks, and counts in short form."""

from __future__ import annotations

import html
import math
from collections.abc import Collection

__all__ = ["Columns", "format_count", "html_table", "text_table"]

_MAX_CELL_WIDTH = 56  # longer text is cut and ends in an ellipsis

Columns = dict[str, list[str]]
"""Cells of each column by its heading."""


def format_count(n: float, unit: str = "") -> str:
    """A count in full below a million, else with four digits and a unit prefix, such as ``12.35 M``."""
    power = 0 if n < (1000 if unit else 1_000_000) else min(4, int(math.log10(n)) // 3)
    text = f"{n / 1000**power:.4g}" if power else f"{round(n):,}"
    return f"{text} {' kMGT'[power].strip()}{unit}".strip()


def text_table(columns: Columns, numbers: Collection[str] = ()) -> list[str]:
    """A table as lines of text, without empty columns; the columns named in ``numbers`` are right-aligned."""
    padded = []
    for head, cells in _non_empty(columns).items():
        cut = [text if len(text) <= _MAX_CELL_WIDTH else text[: _MAX_CELL_WIDTH - 1] + "…" for text in (head, *cells)]
        width = max(map(len, cut))
        padded.append([text.rjust(width) if head in numbers else text.ljust(width) for text in cut])
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]


def html_table(columns: Columns, numbers: Collection[str] = ()) -> str:
    """A table as HTML, without empty columns: text is escaped, colours are the page's, and a wide table scrolls."""
    filled = _non_empty(columns)
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


def _non_empty(columns: Columns) -> Columns:
    return {heading: cells for heading, cells in columns.items() if any(cells)}
