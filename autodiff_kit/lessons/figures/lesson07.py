"""Lesson 07: numbers move to levels, and their gradients go back: to x, or to an end of the range."""

from __future__ import annotations

from autodiff_kit.core.tape import GradientTape
from autodiff_kit.core.variable import Variable
from autodiff_kit.nn.relax import fake_quant

from .animated_svg import AnimatedFigure, Moment

_X = (-3.2, -0.8, 0.7, 2.7, 3.6)
_LOW, _HIGH, _BITS = -2.0, 4.0, 2
_TOP, _BOTTOM, _CELL = 88, 180, 18


def _results() -> tuple[list[float], list[float], float]:
    """The rounded numbers, the gradient of their sum with respect to each x, and with respect to min."""
    x, low, high = Variable(list(_X)), Variable(_LOW), Variable(_HIGH)
    with GradientTape() as tape:
        y = fake_quant(x, low, high, _BITS)
    into_x, into_low, _ = tape.gradient(y, [x, low, high])
    return y.numpy().tolist(), into_x.numpy().tolist(), float(into_low.numpy())


def _place(number: float) -> float:
    return 132 + 42 * (number + 2)


def draw() -> AnimatedFigure:
    """Draw the numbers above, the levels below; first the values move, then the gradients."""
    figure = AnimatedFigure(
        "lesson07",
        "Inside the range a gradient goes straight back to x; that of a clamped number goes to an end of the range.",
        "Five numbers on a line move down to the nearest of four levels. The first is below the range and moves to its "
        "end. Then one gradient for each goes back: four to their own numbers, the first to a box named min.",
        height=226,
        seconds=9,
    )
    values, into_x, _ = _results()
    figure.text((14, _TOP + 5), "x", "forward", 16, bold=True)
    figure.text((14, _TOP - 16), "gradient", "reverse", 13, bold=True).appears(3.4)
    figure.text((14, _BOTTOM + 5), "y", "forward", 16, bold=True)
    figure.line((34, _TOP), (466, _TOP), "line", 1.2)
    figure.line((_place(_LOW), _BOTTOM), (_place(_HIGH), _BOTTOM), "line", 1.2)
    for level in range(2**_BITS):
        place = _place(_LOW + level * (_HIGH - _LOW) / (2**_BITS - 1))
        figure.line((place, _BOTTOM - 9), (place, _BOTTOM + 9), "ink", 2)
    for end, name in ((_LOW, "min"), (_HIGH, "max")):
        figure.line((_place(end), 42), (_place(end), _BOTTOM), "line", 1.2, "3 4")
        figure.rect((_place(end) - 24, 12), 48, 30, "ink", "paper")
        figure.text((_place(end), 8), name, "ink", 13, "middle")
    figure.text((_place(1), _BOTTOM + 32), "levels", "muted", 13, "middle")
    for x, y, gradient in zip(_X, values, into_x, strict=True):
        _number(figure, x, y, inside=gradient > 0)
    return figure


def _number(figure: AnimatedFigure, x: float, y: float, inside: bool) -> None:
    """A number, its way to a level, and the way of its gradient back."""
    from_x, to_y = _place(x), _place(y)
    figure.circle((from_x, _TOP), 6, "forward", filled=False)
    moved = figure.circle((from_x, _TOP), 6, "forward")
    moved.moves(Moment(0.6), Moment(2.2, x=to_y - from_x, y=_BOTTOM - _TOP))
    goal_x, goal_y = (from_x, _TOP - 20) if inside else (_place(_LOW), 27)
    gradient = figure.rect((goal_x - _CELL / 2, goal_y - _CELL / 2), _CELL, _CELL, "reverse", "hatched")
    start = Moment(3.6, x=to_y - goal_x, y=_BOTTOM - goal_y)
    gradient.moves(Moment(3.2, start.x, start.y, opacity=0.0), start, Moment(5.8))
