"""Lesson 01: a matrix J between a product from the right, Jv, and a product from the left, uJ."""

from __future__ import annotations

from .animated_svg import AnimatedFigure, Moment

_ROWS, _COLUMNS, _CELL = 5, 2, 26


def draw() -> AnimatedFigure:
    """Draw both products; without numbers, since the lesson asks for them."""
    figure = AnimatedFigure(
        "lesson01",
        "A push takes one number per input and gives one per output. A pull does the reverse.",
        "J has 5 rows, one per output, and 2 columns, one per input. First a column v with 2 cells enters J and a "
        "column Jv with 5 cells comes out: a push. Then a row u with 5 cells enters and a row uJ with 2 cells comes "
        "out: a pull.",
        height=236,
        seconds=9,
    )
    left, top = 206, 58
    for row in range(_ROWS):
        for column in range(_COLUMNS):
            figure.rect((left + column * _CELL, top + row * _CELL), _CELL, _CELL, "ink", "none")
    figure.text((left + _CELL, top + _ROWS * _CELL + 20), "J", anchor="middle", size=18, bold=True)
    figure.text((left + 2 * _CELL + 8, top + _ROWS * _CELL + 20), "one row per output", "muted", 13)
    figure.text((left - 8, top + _ROWS * _CELL + 20), "one column per input", "muted", 13, "end")
    _push(figure, left, top)
    _pull(figure, left, top)
    return figure


def _push(figure: AnimatedFigure, left: float, top: float) -> None:
    """v enters from the left during the first half; Jv leaves on the right."""
    for index in range(_COLUMNS):
        cell = figure.rect((90, top + 40 + index * _CELL), _CELL, _CELL, "forward")
        cell.moves(Moment(0.5), Moment(1.8, x=84), Moment(2.2, x=100, opacity=0), Moment(8, x=100, opacity=0))
    for index in range(_ROWS):
        cell = figure.rect((346, top + index * _CELL), _CELL, _CELL, "forward")
        cell.moves(Moment(1.8, x=-84, opacity=0), Moment(2.2, x=-74), Moment(3.4), Moment(8))
    figure.text((103, top + 30), "v", "forward", 16, "middle", bold=True)
    figure.text((359, top - 10), "Jv", "forward", 16, "middle", bold=True).appears(3.2)
    figure.text((left + _CELL, 22), "push  →", "forward", 16, "middle", bold=True).appears(0.6, 4.0)


def _pull(figure: AnimatedFigure, left: float, top: float) -> None:
    """u enters from the right during the second half; uJ leaves on the left."""
    for index in range(_ROWS):
        cell = figure.rect((422, top + index * _CELL), _CELL, _CELL, "reverse", "hatched")
        cell.moves(Moment(4.5), Moment(5.8, x=-160), Moment(6.2, x=-176, opacity=0), Moment(8, x=-176, opacity=0))
    for index in range(_COLUMNS):
        cell = figure.rect((30, top + 40 + index * _CELL), _CELL, _CELL, "reverse", "hatched")
        cell.moves(Moment(5.8, x=160, opacity=0), Moment(6.2, x=150), Moment(7.4), Moment(8))
    figure.text((435, top - 10), "u", "reverse", 16, "middle", bold=True)
    figure.text((43, top + 30), "uJ", "reverse", 16, "middle", bold=True).appears(7.2)
    figure.text((left + _CELL, 22), "←  pull", "reverse", 16, "middle", bold=True).appears(4.6)
