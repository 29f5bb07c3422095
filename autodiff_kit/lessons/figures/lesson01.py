"""Lesson 01: the same matrix J in a product from the right, Jv, and in a product from the left, uJ."""

from __future__ import annotations

from typing import Literal

from .animated_svg import AnimatedFigure, Moment, Role

_ROWS, _COLUMNS, _CELL, _TOP = 5, 2, 24, 62


def draw() -> AnimatedFigure:
    """Draw both products; without numbers, since the lesson asks for them."""
    figure = AnimatedFigure(
        "lesson01",
        "A push takes one number per input and gives one per output. A pull does the reverse.",
        "Twice the same matrix J with 5 rows, one per output, and 2 columns, one per input. On the left a column v "
        "with 2 cells enters J and a column Jv with 5 cells comes out: a push. On the right u with 5 cells enters "
        "from the other side and uJ with 2 cells comes out: a pull.",
        height=216,
        seconds=9,
    )
    for left, title, role in ((100.0, "push →", "forward"), (332.0, "← pull", "reverse")):
        for row in range(_ROWS):
            for column in range(_COLUMNS):
                figure.rect((left + column * _CELL, _TOP + row * _CELL), _CELL, _CELL, "ink", "none")
        figure.text((left + _CELL, _TOP - 10), "J", size=17, anchor="middle", bold=True)
        _title(figure, left + _CELL, title, "forward" if role == "forward" else "reverse")
    figure.line((240, 20), (240, 200), "line", 1, "3 4")
    _product(figure, "forward", ("v", 14.0, _COLUMNS), ("Jv", 172.0, _ROWS), 0.5, 60.0)
    _product(figure, "reverse", ("u", 442.0, _ROWS), ("uJ", 284.0, _COLUMNS), 4.5, -84.0)
    return figure


def _title(figure: AnimatedFigure, x: float, title: str, role: Role) -> None:
    figure.text((x, 22), title, role, 16, "middle", bold=True)


def _product(
    figure: AnimatedFigure,
    role: Role,
    given: tuple[str, float, int],
    result: tuple[str, float, int],
    start: float,
    way: float,
) -> None:
    """Move the cells of a vector into J, and those of the product out of it; outlines stay where the vector began."""
    fill: Literal["solid", "hatched"] = "solid" if role == "forward" else "hatched"
    for (name, left, cells), comes_out in ((given, False), (result, True)):
        top = _TOP + (_ROWS - cells) * _CELL / 2
        x = left + _CELL / 2
        words = "one per output" if cells == _ROWS else "one per input"
        label = figure.text((x, top - 10), name, role, 16, "middle", bold=True)
        note = figure.text((min(max(x, 48), 432), 204), words, "muted", 13, "middle")
        for index in range(cells):
            corner = (left, top + index * _CELL)
            if comes_out:
                cell = figure.rect(corner, _CELL, _CELL, role, fill)
                cell.moves(
                    Moment(start + 1.3, x=-way, opacity=0), Moment(start + 1.7, x=-0.85 * way), Moment(start + 2.9)
                )
            else:
                figure.rect(corner, _CELL, _CELL, role, "none")
                cell = figure.rect(corner, _CELL, _CELL, role, fill)
                cell.moves(
                    Moment(start), Moment(start + 1.3, x=0.9 * way), Moment(start + 1.7, x=1.05 * way, opacity=0)
                )
        if comes_out:
            label.appears(start + 2.7)
            note.appears(start + 2.7)
