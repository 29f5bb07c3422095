"""Lesson 18: one matrix product forward, two products of the same size backward."""

from __future__ import annotations

from typing import Literal

from .animated_svg import AnimatedFigure, Moment, Part

_M, _K, _N = 3, 4, 5
_CELL, _SIGN = 14, 20
_FORWARD, _BACKWARD = 48.0, 148.0
"""Heights of the middles of the two rows of matrices."""


def draw() -> AnimatedFigure:
    """Draw the product A B = C, then the cotangent G of C in the two products that give the gradients."""
    figure = AnimatedFigure(
        "lesson18",
        "One matrix product forward. Two products of the same size backward, one for each factor.",
        "First a matrix A with 3 rows and 4 columns times a matrix B with 4 rows and 5 columns gives a matrix C. Then "
        "the cotangent G of C moves down twice: G times the transpose of B gives the gradient of A, and the transpose "
        "of A times G gives the gradient of B.",
        height=216,
        seconds=8.5,
    )
    operations = f"{2 * _M * _K * _N} operations"
    left = 108.0
    a, b = left, left + _K * _CELL + _SIGN
    c = b + _N * _CELL + _SIGN
    figure.text((10, _FORWARD + 5), "forward", "forward", 15, bold=True)
    _matrix(figure, a, _FORWARD, (_M, _K), "A", "forward")
    _sign(figure, b, _FORWARD, "·")
    _matrix(figure, b, _FORWARD, (_K, _N), "B", "forward")
    _sign(figure, c, _FORWARD, "=").appears(1.2)
    for part in _matrix(figure, c, _FORWARD, (_M, _N), "C", "forward"):
        part.appears(1.4)
    figure.text((c + _N * _CELL + 14, _FORWARD + 5), operations, "ink", 14).appears(1.4)

    figure.text((10, 96), "backward", "reverse", 15, bold=True).appears(2.6)
    _product(figure, 10, [((_M, _N), "G"), ((_N, _K), "Bᵀ"), ((_M, _K), "")], c, 4.2)
    _product(figure, 254, [((_K, _M), "Aᵀ"), ((_M, _N), "G"), ((_K, _N), "")], c, 6.2)
    figure.text((116, 208), f"gradient of A: {operations}", "ink", 14, "middle").appears(4.4)
    figure.text((360, 208), f"gradient of B: {operations}", "ink", 14, "middle").appears(6.4)
    return figure


def _product(
    figure: AnimatedFigure, left: float, factors: list[tuple[tuple[int, int], str]], source: float, at: float
) -> None:
    """Two factors and their product, which appears last; G comes down from the place of C."""
    for index, (shape, name) in enumerate(factors):
        parts = _matrix(figure, left, _BACKWARD, shape, name, "forward" if name in ("Aᵀ", "Bᵀ") else "reverse")
        for part in parts:
            if name == "G" and part.tag == "rect":
                start = Moment(at - 1.6, x=source - left, y=_FORWARD - _BACKWARD, opacity=0)
                part.moves(start, Moment(at - 1.4, x=source - left, y=_FORWARD - _BACKWARD), Moment(at - 0.5))
            else:
                part.appears(at if index == 2 else at - 0.5)
        left += shape[1] * _CELL + _SIGN
        if index < 2:
            _sign(figure, left, _BACKWARD, "·="[index]).appears(at if index == 1 else at - 0.5)


def _matrix(
    figure: AnimatedFigure,
    left: float,
    middle: float,
    shape: tuple[int, int],
    name: str,
    role: Literal["forward", "reverse"],
) -> list[Part]:
    """A matrix as a rectangle with its name above."""
    rows, columns = shape
    width, height = columns * _CELL, rows * _CELL
    fill: Literal["solid", "hatched"] = "solid" if role == "forward" else "hatched"
    box = figure.rect((left, middle - height / 2), width, height, role, fill)
    words = figure.text((left + width / 2, middle - height / 2 - 6), name, role, 14, "middle", bold=True)
    return [box, words]


def _sign(figure: AnimatedFigure, right: float, middle: float, sign: str) -> Part:
    return figure.text((right - _SIGN / 2, middle + 5), sign, "ink", 16, "middle")
